// PlainMemory — non-atomic locations, and the lifetime of atomic ones.
//
// Happens-before must order a plain access with every conflicting access. Otherwise the
// execution has a data race and the program is undefined. A thread that frees a location must
// come after all other accesses to it.
//
// Method      each thread has a clock, which ticks at each such access. A view contains the
//             clocks of what happens before it. A location remembers the clock of
//             its last write and of each thread's last read. The machine finds a race
//             whichever of the two accesses it executes first, so it need not interleave
//             these steps with the steps of other threads.
// Sources     C. Flanagan, S. Freund, "FastTrack" (PLDI 2009).

/// A plain location.
struct PlainState {
  var value: Int
  /// The last write: its thread and that thread's clock. Clock 0 is the start.
  var writer = 0
  var writeClock = 0
  /// The clock of each thread's last read.
  var reads: UInt64 = 0

  func append(to key: inout [UInt64]) {
    key.append(UInt64(bitPattern: Int64(value)))
    key.append(UInt64(writer &<< 8 | writeClock))
    key.append(reads)
  }
}

extension Memory {
  /// Reads a plain location; returns nil if that is a data race.
  mutating func readPlain(_ location: Int, by thread: Int) -> Int? {
    let clock = tick(thread)
    guard knowsWrite(location, by: thread) else { return nil }
    plains[location].reads = settingByte(thread, of: plains[location].reads, to: clock)
    return plains[location].value
  }

  /// Writes a plain location; returns false if that is a data race.
  mutating func writePlain(_ value: Int, to location: Int, by thread: Int) -> Bool {
    let clock = tick(thread)
    guard knowsWrite(location, by: thread),
      covers(threads[thread].current.clocks, plains[location].reads)
    else { return false }
    plains[location] = PlainState(value: value, writer: thread, writeClock: clock)
    return true
  }

  /// Records an access to an atomic location; returns false if the location is freed.
  mutating func touch(_ location: Int, by thread: Int) -> Bool {
    guard atomics[location].isMortal else { return true }
    atomics[location].accesses = settingByte(
      thread, of: atomics[location].accesses, to: tick(thread))
    return !atomics[location].isFreed
  }

  /// Frees an atomic location; returns false if some access does not happen before that.
  mutating func free(_ location: Int, by thread: Int) -> Bool {
    precondition(atomics[location].isMortal, "only a mortal location can be freed")
    guard !atomics[location].isFreed,
      covers(threads[thread].current.clocks, atomics[location].accesses)
    else { return false }
    atomics[location].isFreed = true
    return true
  }

  private mutating func tick(_ thread: Int) -> Int {
    let clock = byte(thread, of: threads[thread].current.clocks) &+ 1
    threads[thread].current.clocks = settingByte(
      thread, of: threads[thread].current.clocks, to: clock)
    return clock
  }

  private func knowsWrite(_ location: Int, by thread: Int) -> Bool {
    let plain = plains[location]
    return byte(plain.writer, of: threads[thread].current.clocks) >= plain.writeClock
  }

  private func covers(_ clocks: UInt64, _ others: UInt64) -> Bool {
    bytewiseMaximum(clocks, others) == clocks
  }
}
