// VoucherFunctions — the forms of dispatch_block_create that take a voucher. The toolchain's
// library exports them, and its headers do not declare them.
//
// Vouchers exist on Apple's systems only. The toolchain's library for Linux ignores them, too.

/// dispatch_block_create; the voucher has no effect.
@_cdecl("dispatch_block_create_with_voucher")
package func dispatchBlockCreateWithVoucher(
  _ flags: UInt, _ voucher: UnsafeMutableRawPointer?, _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  dispatchBlockCreate(flags, block)
}

/// dispatch_block_create_with_qos_class; the voucher has no effect.
@_cdecl("dispatch_block_create_with_voucher_and_qos_class")
package func dispatchBlockCreateWithVoucherAndClass(
  _ flags: UInt, _ voucher: UnsafeMutableRawPointer?, _ qosClass: UInt32,
  _ relativePriority: Int32, _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  dispatchBlockCreateWithClass(flags, qosClass, relativePriority, block)
}

/// dispatch_block_create; the voucher has no effect, nor has the priority, which is 0 on Linux.
@_cdecl("_dispatch_block_create")
package func dispatchBlockCreateWithPriority(
  _ flags: UInt, _ voucher: UnsafeMutableRawPointer?, _ priority: UInt,
  _ block: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  dispatchBlockCreate(flags, block)
}
