// LockedCell — a value and its lock, in memory of their own.
//
// The lock is beside the contents, not part of them: taking it must not be an access to the
// contents.
//
// Touching    `contents`: under the lock.

import SignalboxRuntime

struct LockedCell<Contents: ~Copyable>: @unchecked Sendable {
  // SAFETY: both point into one block, which lives from `init` to `release`.
  private let word: UnsafeMutablePointer<EngineLock>
  let contents: UnsafeMutablePointer<Contents>

  /// Two cache lines, because the processor fetches lines in pairs: a neighbour that another
  /// thread writes would slow both down.
  private static var alignment: Int { 128 }
  /// The offset of the contents, which follow the lock.
  private static var offset: Int { 16 }

  init(_ contents: consuming Contents) {
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: Self.offset + MemoryLayout<Contents>.size, alignment: Self.alignment)
    word = raw.bindMemory(to: EngineLock.self, capacity: 1)
    word.initialize(to: EngineLock())
    self.contents = (raw + Self.offset).bindMemory(to: Contents.self, capacity: 1)
    self.contents.initialize(to: contents)
  }

  @inline(__always)
  func lock() { word.pointee.lock() }

  @inline(__always)
  func unlock() { word.pointee.unlock() }

  /// Frees the memory and returns the contents. No other thread may use the cell.
  func release() -> Contents {
    let last = contents.move()
    word.deinitialize(count: 1)
    UnsafeMutableRawPointer(word).deallocate()
    return last
  }
}
