// ItemLock — the lock of a source, a timer or an observer. All items share a small set of locks.
//
// A fork takes all of these locks, which would be impossible if every item had its own. Outside a
// fork, no thread holds two.
//
// Touching    `all`: created once, never freed.

import SignalboxRuntime

struct ItemLock: @unchecked Sendable {  // SAFETY: the lock is never freed.
  private let pointer: UnsafeMutablePointer<EngineLock>

  /// More than the number of threads likely to add, remove or perform items at the same moment.
  private static var count: Int { 32 }
  /// One cache line per lock.
  private static var distance: Int { 64 / MemoryLayout<EngineLock>.stride }

  // SAFETY: see Touching.
  nonisolated(unsafe) static let all: UnsafeMutablePointer<EngineLock> = {
    let all = UnsafeMutablePointer<EngineLock>.allocate(capacity: count * distance)
    for index in 0..<count * distance { (all + index).initialize(to: EngineLock()) }
    return all
  }()

  /// How many items have picked a lock. Any thread adds to it, in any order: any lock will do.
  static let turn = Relaxed<Int>(0)

  /// Picks the lock of a new item.
  init() {
    LoopRegistry.prepare()
    let turn = ItemLock.turn.add(1)
    pointer = ItemLock.all + (turn & (ItemLock.count - 1)) * ItemLock.distance
  }

  @inline(__always) func lock() { pointer.pointee.lock() }
  @inline(__always) func unlock() { pointer.pointee.unlock() }

  @inline(__always) func withLock<T>(_ body: () -> T) -> T {
    lock()
    defer { unlock() }
    return body()
  }

  // MARK: Around a fork

  static func makeAll() { _ = (all, ItemLock()) }

  static func lockAll() {
    var index = 0
    while index < count {
      all[index * distance].lock()
      index += 1
    }
  }

  static func unlockAll() {
    var index = 0
    while index < count {
      all[index * distance].unlock()
      index += 1
    }
  }
}
