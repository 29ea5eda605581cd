// TimerSeats — where a timer stands in each of its modes: the first without an array.
//
// Touching    a value: whoever has it.

struct TimerSeats {
  struct Seat {
    // SAFETY: a loop keeps its modes, and a timer its loop for as long as it has a seat.
    unowned(unsafe) let mode: LoopMode
    let slot: Int32
  }
  private var first: Seat?
  private var others: [Seat] = []

  mutating func append(_ seat: Seat) {
    if first == nil { first = seat } else { others.append(seat) }
  }

  /// - Returns: the slot that it had there; nil if there was none.
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
