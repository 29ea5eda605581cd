// Item+Kind — the kind of an item, for code that reads a list.

extension Item {
  /// Whether `function` is what the item runs.
  package borrowing func runs(_ function: Function) -> Bool {
    // SAFETY: addresses of functions, compared only.
    unsafeBitCast(self.function, to: UInt.self) == unsafeBitCast(function, to: UInt.self)
  }
}
