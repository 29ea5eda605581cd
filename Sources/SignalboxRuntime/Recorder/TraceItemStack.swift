// TraceItemStack — the items that one thread is in, to count what happens in a long one.
//
// How often a thread leaves the processor is a system call to ask, so short items are not
// asked for: at an item's start what was read last is taken, if that was a moment ago, and only
// at the end of a long item it is read once more.
//
// Touching    everything: its own thread.

import CSignalbox

struct TraceItemStack: ~Copyable {
  private struct Level {
    var item: UInt = 0
    var began: UInt64 = 0
    var switches = csb_switches()
  }

  /// An item within so many others is not counted for.
  static var deepest: Int { 8 }

  /// An item is long from here on, in nanoseconds.
  static var long: UInt64 { 100_000 }

  /// How old a reading may be to count as the one at an item's start: a fiftieth of it is
  /// what it costs.
  static var fresh: UInt64 { 20_000 }

  private var levels: [Level] = []
  private var last = csb_switches()
  private var lastRead: UInt64 = 0
  /// How many items the thread is in beyond the deepest.
  private var beyond = 0

  /// Another recording has begun.
  mutating func reset() {
    levels.removeAll(keepingCapacity: true)
    beyond = 0
  }

  mutating func begin(_ item: UInt, at time: UInt64) {
    if levels.count == TraceItemStack.deepest {
      beyond += 1
      return
    }
    if time &- lastRead > TraceItemStack.fresh { read(at: time) }
    levels.append(Level(item: item, began: time, switches: last))
  }

  /// - Returns: how often the thread left the processor in it, if it was long.
  mutating func end(_ item: UInt, at time: UInt64) -> csb_switches {
    if beyond > 0 {
      beyond -= 1
      return csb_switches()
    }
    // Below it stand those whose end was not recorded.
    while let level = levels.popLast() {
      if level.item != item { continue }
      guard time &- level.began >= TraceItemStack.long else { break }
      read(at: time)
      return csb_switches(
        voluntary: last.voluntary &- level.switches.voluntary,
        involuntary: last.involuntary &- level.switches.involuntary)
    }
    return csb_switches()
  }

  private mutating func read(at time: UInt64) {
    last = csb_thread_switches()
    lastRead = time
  }
}
