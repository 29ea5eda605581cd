import CBenchmark

/// What no `async` can do without, as long as the program allocates what it submits on one thread and
/// frees it on another: the floor of such rows.
extension Subject {
  /// The captures of a closure, as an `async` of Signalbox.
  static let handedPiece = handed(
    "handed-piece", "floor: 32 bytes allocated, passed through a ring and freed by another thread",
    [32])

  /// The captures and a block, as an `async` of the toolchain's overlay.
  static let handedPieces = handed(
    "handed-pieces",
    "floor: 32 and 48 bytes allocated, passed through a ring and freed by another thread", [32, 48])

  private static func handed(_ name: String, _ title: String, _ sizes: [UInt64]) -> Subject {
    Subject(
      name: name, title: title, goal: .none,
      measurement: .cost {
        let error = cbench_hand_over_begin()
        precondition(error == 0)
        return { operations in
          cbench_hand_over(sizes, UInt64(sizes.count), UInt64(operations))
        }
      })
  }
}
