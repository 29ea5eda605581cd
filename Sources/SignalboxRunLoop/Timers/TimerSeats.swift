// TimerSeats — a timer's slots in its modes. The first seat needs no array.
//
// Touching    a value: its owner.

struct TimerSeats {
  struct Seat {
    // SAFETY: a loop keeps its modes, and a timer keeps its loop while it has a seat.
    unowned(unsafe) let mode: LoopMode
    let slot: Int32
  }
  private var first: Seat?
  private var others: [Seat] = []

  mutating func append(_ seat: Seat) {
    if first == nil { first = seat } else { others.append(seat) }
  }

  /// - Returns: the slot that the timer had in the mode, or nil if it had none.
  mutating func remove(_ mode: LoopMode) -> Int32? {
    if let seat = first, seat.mode === mode {
      first = others.popLast()
      return seat.slot
    }
    guard let index = others.firstIndex(where: { $0.mode === mode }) else { return nil }
    return others.remove(at: index).slot
  }

  func has(_ mode: LoopMode) -> Bool {
    first.map { $0.mode === mode } == true || others.contains { $0.mode === mode }
  }

  func forEach(_ body: (Seat) -> Void) {
    if let first { body(first) }
    for seat in others { body(seat) }
  }
}
