// Backtrace+Program — which functions of a stack are the program's own.

extension Backtrace {
  /// How many functions of a stack a report shows.
  private static let mostShown = 16

  /// The functions of the program, the innermost first: without those of this library and of Swift's, those that the
  /// compiler put between two others, and those that only start a thread or the program. `symbols` contains
  /// the addresses of this backtrace.
  package func programFunctions(in symbols: Symbolizer) -> [String] {
    let own = frames(in: symbols).filter { frame in
      let function = frame.function
      return !function.isEmpty && !Backtrace.isBetween(function) && !Backtrace.isStarter(function)
        && !Backtrace.isOf(Backtrace.library, function)
        && !["csb_", "swift_"].contains { function.hasPrefix($0) }
    }
    return own.prefix(Backtrace.mostShown).map(\.words)
  }

  /// The same, for one backtrace. Takes a few milliseconds for each file that contains functions of it.
  package var programFunctions: [String] { programFunctions(in: Symbolizer(addresses)) }

  /// For the end of a message: a line for each function of the program, each after a line break. Empty if there is none.
  /// `symbols` contains the addresses of this backtrace.
  package func stackWords(ofThread thread: UInt32, in symbols: Symbolizer) -> String {
    let functions = programFunctions(in: symbols)
    if functions.isEmpty { return "" }
    return "\n  stack of thread \(thread)" + functions.map { "\n    \($0)" }.joined()
  }

  package func stackWords(ofThread thread: UInt32) -> String {
    stackWords(ofThread: thread, in: Symbolizer(addresses))
  }

  private static let library = [
    "SignalboxRuntime", "SignalboxDiagnostics", "SignalboxDispatch", "SignalboxLocks",
    "SignalboxThreads", "SignalboxRunLoop", "SignalboxOperations", "SignalboxConcurrency",
    "SignalboxTrace", "SignalboxBridges", "SignalboxFoundation", "SignalboxDropIn", "Swift",
  ]
}

extension Backtrace.Frame {
  /// The function's name, and its file.
  package var words: String {
    function.isEmpty
      ? "\(imageName) + 0x\(String(offset, radix: 16))"
      : imageName.isEmpty ? function : "\(function) in \(imageName)"
  }
}
