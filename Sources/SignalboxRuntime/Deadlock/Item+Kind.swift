// Item+Kind — what kind of item it is, for who looks through a list.

extension Item {
  /// Whether `function` is what the item runs.
  package borrowing func runs(_ function: Function) -> Bool {
    // SAFETY: addresses of functions, compared only.
    unsafeBitCast(self.function, to: UInt.self) == unsafeBitCast(function, to: UInt.self)
  }
}
