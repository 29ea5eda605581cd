// Backtrace+Program — which functions of a stack are the program's own.

package import SignalboxRuntime

extension Backtrace {
  /// How many functions of a stack a report shows.
  private static let mostShown = 16

  /// The program's functions, the innermost first, without functions of this library and of Swift's
  /// runtime, those that the compiler put between two others, and those that only start a thread or
  /// the program. `symbols` contains the addresses of this backtrace.
  package func programFunctions(in symbols: Symbolizer) -> [String] {
    let own = addresses.lazy.map { Backtrace.frame($0, in: symbols) }.filter { frame in
      !frame.function.isEmpty && !Backtrace.isBetween(frame.function)
        && PlaceWords.isPlace(frame.function)
    }
    return own.prefix(Backtrace.mostShown).map(\.words)
  }

  /// For the end of a message: a line for each function of the program, each after a line break. Empty if there is none.
  /// `symbols` contains the addresses of this backtrace.
  func stackWords(ofThread thread: UInt32, in symbols: Symbolizer) -> String {
    let functions = programFunctions(in: symbols)
    if functions.isEmpty { return "" }
    return "\n  stack of thread \(thread)" + functions.map { "\n    \($0)" }.joined()
  }
}

extension Backtrace.Frame {
  /// The function's name, and its file.
  fileprivate var words: String { imageName.isEmpty ? function : "\(function) in \(imageName)" }
}
