// Block — a C block, checked. All conversions from blocks are here.
//
// A block that dispatch_block_create made owns a work item (`DispatchWorkItem`): it can be
// cancelled and waited for. A function that submits a block looks for that item first (`workItem`).
// Submitting a block without an item costs one copy of the block (`copied`).

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

struct Block {
  private let raw: UnsafeMutablePointer<csd_block>

  /// Traps if there is no block at the address.
  @inline(__always)
  init(_ raw: UnsafeMutableRawPointer?, _ call: StaticString) {
    guard let raw else { Block.trap(nil, call) }
    // SAFETY: checked by the next line.
    let block = raw.assumingMemoryBound(to: csd_block.self)
    if csd_is_block(block) == 0 { Block.trap(raw, call) }
    self.raw = block
  }

  /// The work item of a block that dispatch_block_create made.
  @inline(__always)
  var workItem: Unmanaged<DispatchWorkItem>? {
    // SAFETY: the block retains the item, and the caller retains the block.
    csd_block_item(raw).map { Unmanaged<DispatchWorkItem>.fromOpaque($0) }
  }

  /// A call of a copy of the block. The call frees the copy.
  @inline(__always)
  var copied: FunctionCall {
    BlockNode(claimedFor: raw)?.call
      ?? FunctionCall(raw.pointee.invoke, _Block_copy(raw), release: csd_block_release)
  }

  /// A copy of the block. Convert it to a Swift closure of the block's `@convention(block)` type,
  /// and then release it (`csd_block_release`): the closure holds its own reference.
  ///
  /// A C block may be on the stack. Swift assumes that every block is on the heap, and ignores the
  /// new address if retaining a block moves it, so only a copy may be converted. Each caller writes
  /// the conversion itself, because generic code cannot take a block's type as a parameter.
  func makeCopy() -> UnsafeMutableRawPointer { _Block_copy(raw) }

  /// A closure that retains a copy of the block and calls it.
  ///
  /// It does not use Swift's own type for blocks: retaining a block that is on the stack moves it,
  /// and Swift would continue to use the old address.
  var closure: () -> Void {
    let copy = BlockCopy(of: raw)
    return { copy.call() }
  }

  /// Calls the block.
  @inline(__always)
  func callAsFunction() { raw.pointee.invoke(raw) }

  /// Calls the block with an index.
  @inline(__always)
  func callAsFunction(_ index: Int) {
    typealias Invoke = @convention(c) (UnsafeMutableRawPointer?, Int) -> Void
    // SAFETY: the caller says that the block takes an index.
    unsafeBitCast(raw.pointee.invoke, to: Invoke.self)(raw, index)
  }

  /// Calls the block with a region of data.
  @inline(__always)
  func callAsFunction(
    _ region: Handle, _ offset: Int, _ bytes: UnsafeRawPointer, _ size: Int
  ) -> Bool {
    typealias Invoke =
      @convention(c) (
        UnsafeMutableRawPointer?, Handle, Int, UnsafeRawPointer, Int
      ) -> Bool
    // SAFETY: the caller says that the block takes a region.
    return unsafeBitCast(raw.pointee.invoke, to: Invoke.self)(raw, region, offset, bytes, size)
  }

  @inline(never)
  private static func trap(_ raw: UnsafeMutableRawPointer?, _ call: StaticString) -> Never {
    guard let raw else { clientBug("\(call) was called with NULL where a block belongs.") }
    clientBug(
      "\(call) was called with 0x\(String(UInt(bitPattern: raw), radix: 16)) where a block "
        + "belongs: no block is there.")
  }
}

/// A copy of a block, which is freed with its last reference.
private final class BlockCopy {
  // SAFETY: a copy of its own, which `deinit` frees.
  private let raw: UnsafeMutablePointer<csd_block>

  init(of block: UnsafeMutablePointer<csd_block>) {
    // SAFETY: the copy of a block is a block.
    raw = _Block_copy(block).assumingMemoryBound(to: csd_block.self)
  }

  func call() { raw.pointee.invoke(raw) }

  deinit { csd_block_release(raw) }
}
