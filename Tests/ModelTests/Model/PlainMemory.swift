// PlainMemory — locations without atomicity, and the life of atomic ones.
//
// A plain access must be ordered by happens-before with every conflicting one;
// if it is not, the execution has a data race, and the program no meaning. Whoever
// frees a location must come after all other accesses to it.
//
// Method      a clock a thread, ticked at each such access; a view contains the
//             clocks of what happens before it; a location remembers the clock of
//             its last write and of each thread's last read. A race is found
//             whichever of the two accesses the machine executes first, so that
//             these steps need not be interleaved with other threads'.
// Sources     C. Flanagan, S. Freund, "FastTrack" (PLDI 2009).

/// A plain location.
struct PlainState {
  var value: Int
  /// The last write: its thread and that thread's clock; clock 0 is the start.
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
  /// Reads a plain location; nil if that is a data race.
  mutating func readPlain(_ location: Int, by thread: Int) -> Int? {
    let clock = tick(thread)
    guard knowsWrite(location, by: thread) else { return nil }
    plains[location].reads = settingByte(thread, of: plains[location].reads, to: clock)
    return plains[location].value
  }

  /// Writes a plain location; false if that is a data race.
  mutating func writePlain(_ value: Int, to location: Int, by thread: Int) -> Bool {
    let clock = tick(thread)
    guard knowsWrite(location, by: thread),
      covers(threads[thread].current.clocks, plains[location].reads)
    else { return false }
    plains[location] = PlainState(value: value, writer: thread, writeClock: clock)
    return true
  }

  /// Notes an access to an atomic location; false if it has been freed.
  mutating func touch(_ location: Int, by thread: Int) -> Bool {
    guard atomics[location].isMortal else { return true }
    atomics[location].accesses = settingByte(
      thread, of: atomics[location].accesses, to: tick(thread))
    return !atomics[location].isFreed
  }

  /// Frees an atomic location; false if an access does not happen before that.
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
