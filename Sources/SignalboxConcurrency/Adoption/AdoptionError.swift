// AdoptionError — the reason why Swift's concurrency did not move to our pool.

/// Why ``SignalboxExecutors/adopt()`` failed. A failed call changes nothing.
///
/// *Beyond Apple's API.*
public enum AdoptionError: Error, Equatable, CustomStringConvertible {
  /// The package was built by a compiler whose runtime it cannot reach. The value says what is
  /// missing.
  case unsupportedCompiler(String)
  /// The toolchain runs the main thread: in an `async` `main`, or in the toolchain's
  /// `dispatchMain()`. That thread would never drain Signalbox's main queue, so main-actor code
  /// would never run.
  case mainThreadIsTaken
  /// Another package has replaced the toolchain's executors with its own. The value names its
  /// function or type.
  case executorsAreTaken(by: String)

  public var description: String {
    switch self {
    case .unsupportedCompiler(let missing):
      "Swift's concurrency stays on the toolchain's pool: \(missing)."
    case .mainThreadIsTaken:
      "Swift's concurrency stays on the toolchain's pool: the main thread is within an async "
        + "main, or in the toolchain's dispatchMain(), and would never look at Signalbox's main "
        + "queue, so that main-actor code would hang. Start the program with "
        + "SIGNALBOX_EXECUTORS=1 in its environment: then they are adopted before main begins. "
        + "Or call adopt() first thing in a main that is not async, and end it by dispatchMain()."
    case .executorsAreTaken(let holder):
      "Tasks stay on the executors of another package: \(holder) has taken the place of the "
        + "toolchain's executors, and only one package in a process can. Do not install those, "
        + "or do not adopt Signalbox's."
    }
  }
}
