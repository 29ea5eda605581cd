// Callers — whether the toolchain's class ran its own method.

import Glibc

/// Functions of the C library that Swift does not import.
// SAFETY: constants, and the types are those of the C library's header.
private let (dladdr, backtrace) = (
  // SAFETY: as above.
  unsafeBitCast(
    dlsym(nil, "dladdr"),
    to: (@convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32).self),
  // SAFETY: as above.
  unsafeBitCast(
    dlsym(nil, "backtrace"),
    to: (@convention(c) (UnsafeMutableRawPointer, Int32) -> Int32).self)
)

/// What `dladdr` finds, a `Dl_info`.
private struct Place {
  var file: UnsafePointer<CChar>?
  var others: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?)
}

/// Whether the address is in libswiftDispatch.
func isTheirs(_ address: UnsafeRawPointer?) -> Bool {
  var place = Place()
  guard let address, dladdr(address, &place) != 0, let file = place.file else { return false }
  return String(cString: file).contains("libswiftDispatch")
}

/// Whether a function of libswiftDispatch has called this one.
@inline(never) func isCalledByTheirs() -> Bool {
  var addresses = [UnsafeRawPointer?](repeating: nil, count: 64)
  let count = Int(backtrace(&addresses, Int32(addresses.count)))
  return addresses.prefix(count).contains(where: isTheirs)
}
