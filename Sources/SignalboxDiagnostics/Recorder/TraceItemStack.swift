// TraceItemStack — the items that one thread is running, to count context
// switches in long ones.
//
// Reading a thread's context-switch counts is a system call, so the recorder
// avoids it for short items. At an item's start it takes the last reading if
// that is recent, plus the sleeps that it has recorded since; only at the end
// of a long item it reads again.
//
// Touching    everything: its own thread.

import CSignalbox

struct TraceItemStack: ~Copyable {
  private struct Level {
    var item: UInt = 0
    var began: UInt64 = 0
    var switches = csb_switches()
  }

  /// From this duration on, in nanoseconds, an item is long.
  static var long: UInt64 { 100_000 }

  /// The maximum age, in nanoseconds, at which a reading still counts as the
  /// one at an item's start. A reading costs 400 ns, so a stream of short items
  /// spends one part in 250 on it.
  static var fresh: UInt64 { 100_000 }

  /// The running items. Context switches are not counted for items nested
  /// deeper than this.
  private var levels = InlineArray<8, Level>(repeating: Level())
  private var depth = 0
  /// The last reading, plus the sleeps recorded since.
  private var last = csb_switches()
  private var lastRead: UInt64 = 0
  /// How many running items are nested deeper than `levels` reaches.
  private var beyond = 0

  /// Forgets the items of the previous recording.
  mutating func reset() {
    depth = 0
    beyond = 0
  }

  /// Counts a sleep that the recorder knows of.
  mutating func noteSleep() { last.voluntary &+= 1 }

  @inline(__always)
  mutating func begin(_ item: UInt, at time: UInt64) {
    if depth == levels.count {
      beyond += 1
      return
    }
    if time &- lastRead > TraceItemStack.fresh { read(at: time) }
    levels[depth] = Level(item: item, began: time, switches: last)
    depth += 1
  }

  /// - Returns: how many times the thread left the processor during the item,
  ///   if the item was long.
  @inline(__always)
  mutating func end(_ item: UInt, at time: UInt64) -> csb_switches {
    if beyond > 0 {
      beyond -= 1
      return csb_switches()
    }
    // Items above it on the stack are those whose end was not recorded.
    while depth > 0 {
      depth -= 1
      if levels[depth].item != item { continue }
      if time &- levels[depth].began < TraceItemStack.long { break }
      return switches(since: levels[depth].switches, at: time)
    }
    return csb_switches()
  }

  @inline(never)
  private mutating func switches(since start: csb_switches, at time: UInt64) -> csb_switches {
    read(at: time)
    return csb_switches(
      voluntary: TraceItemStack.count(from: start.voluntary, to: last.voluntary),
      involuntary: TraceItemStack.count(from: start.involuntary, to: last.involuntary))
  }

  /// The difference, at least 0: a noted sleep may not have been a context
  /// switch.
  private static func count(from start: UInt32, to end: UInt32) -> UInt32 {
    UInt32(max(0, Int32(bitPattern: end &- start)))
  }

  @inline(never)
  private mutating func read(at time: UInt64) {
    last = csb_thread_switches()
    lastRead = time
  }
}
