// ThreadTimes — when the items and `sync` calls that one thread is in began.
//
// Touching    everything: its own thread.

import CSignalbox
import SignalboxRuntime

struct ThreadTimes: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<ThreadTimes>

  private struct Level {
    /// The address of the item, or of the queue of a `sync` with its lowest bit set.
    var key: UInt = 0
    var began: UInt64 = 0
    var row = 0
  }

  /// Items that are nested deeper are not measured.
  private var levels = InlineArray<32, Level>(repeating: Level())
  private var depth = 0
  /// The measurement to which the levels belong.
  private var measurement: UInt32 = 0

  /// The record of this thread; made if it has none.
  @inline(__always)
  static var ofThisThread: Pointer {
    // SAFETY: `make` stores this type, and only the thread itself frees it.
    csb_thread_self().pointee.times?.assumingMemoryBound(to: ThreadTimes.self) ?? make()
  }

  @inline(never)
  private static func make() -> Pointer {
    ThreadEnd.arrange()
    let thread = Pointer.allocate(capacity: 1)
    thread.initialize(to: ThreadTimes())
    csb_thread_self().pointee.times = UnsafeMutableRawPointer(thread)
    return thread
  }

  /// Call when the thread ends.
  static func endThisThread() {
    guard let raw = csb_thread_self().pointee.times else { return }
    csb_thread_self().pointee.times = nil
    let thread = raw.assumingMemoryBound(to: ThreadTimes.self)  // SAFETY: see `ofThisThread`.
    thread.deinitialize(count: 1)
    thread.deallocate()
  }

  mutating func begin(_ key: UInt, row: Int, at time: UInt64, in measurement: UInt32) {
    if self.measurement != measurement { (self.measurement, depth) = (measurement, 0) }
    guard depth < levels.count else { return }
    levels[depth] = Level(key: key, began: time, row: row)
    depth += 1
  }

  /// - Returns: when it began, and the row of its queue; nil if that was not measured.
  mutating func end(_ key: UInt, in measurement: UInt32) -> (began: UInt64, row: Int)? {
    guard self.measurement == measurement else { return nil }
    // The levels above it have ended unnoticed, for example by an exception.
    for level in (0..<depth).reversed() where levels[level].key == key {
      depth = level
      return (levels[level].began, levels[level].row)
    }
    return nil
  }
}
