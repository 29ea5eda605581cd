// TraceItemStack — the items that one thread is in, to count what happens in a long one.
//
// How often a thread leaves the processor is a system call to ask, so short items are not
// asked for: at an item's start what was read last is taken, if that was a moment ago, with the
// sleeps since that the recorder knows of, and only at the end of a long item it is read once more.
//
// Touching    everything: its own thread.

import CSignalbox

struct TraceItemStack: ~Copyable {
  private struct Level {
    var item: UInt = 0
    var began: UInt64 = 0
    var switches = csb_switches()
  }

  /// An item is long from here on, in nanoseconds.
  static var long: UInt64 { 100_000 }

  /// How old a reading may be to count as the one at an item's start. It costs 400 ns: in a
  /// stream of short items, one part in 250.
  static var fresh: UInt64 { 100_000 }

  /// An item within so many others is not counted for.
  private var levels = InlineArray<8, Level>(repeating: Level())
  private var depth = 0
  /// What was read last, and the sleeps since.
  private var last = csb_switches()
  private var lastRead: UInt64 = 0
  /// How many items the thread is in beyond the deepest.
  private var beyond = 0

  /// Another recording has begun.
  mutating func reset() {
    depth = 0
    beyond = 0
  }

  /// The thread has slept, as far as the recorder knows.
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

  /// - Returns: how often the thread left the processor in it, if it was long.
  @inline(__always)
  mutating func end(_ item: UInt, at time: UInt64) -> csb_switches {
    if beyond > 0 {
      beyond -= 1
      return csb_switches()
    }
    // Below it stand those whose end was not recorded.
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

  /// What was noted as a sleep may have been none.
  private static func count(from start: UInt32, to end: UInt32) -> UInt32 {
    UInt32(max(0, Int32(bitPattern: end &- start)))
  }

  @inline(never)
  private mutating func read(at time: UInt64) {
    last = csb_thread_switches()
    lastRead = time
  }
}
