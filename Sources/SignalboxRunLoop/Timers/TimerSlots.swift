// TimerSlots — a timer's slots in its modes. The first slot needs no array.
//
// Touching    a value: its owner.

struct TimerSlots {
  struct Slot {
    // SAFETY: a loop retains its modes, and a timer retains its loop while it has a slot.
    unowned(unsafe) let mode: LoopMode
    let number: Int32
  }
  private var first: Slot?
  private var others: [Slot] = []

  mutating func append(_ slot: Slot) {
    if first == nil { first = slot } else { others.append(slot) }
  }

  /// - Returns: the number of the slot that the timer had in the mode, or nil if it had none.
  mutating func remove(_ mode: LoopMode) -> Int32? {
    if let slot = first, slot.mode === mode {
      first = others.popLast()
      return slot.number
    }
    guard let index = others.firstIndex(where: { $0.mode === mode }) else { return nil }
    return others.remove(at: index).number
  }

  func has(_ mode: LoopMode) -> Bool {
    first.map { $0.mode === mode } == true || others.contains { $0.mode === mode }
  }

  func forEach(_ body: (Slot) -> Void) {
    if let first { body(first) }
    for slot in others { body(slot) }
  }
}
