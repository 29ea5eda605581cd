// SpareSignal — lends real-time signals to one test at a time.
//
// A signal handler belongs to the whole process, and tests run in parallel.

package import Glibc

package enum SpareSignal {
  private static let lent = Guarded<Set<Int32>>([])

  /// Runs the body with `count` signals that no other test uses, each with its default action.
  /// Restores the default action afterwards.
  package static func with<Result>(
    _ count: Int = 1, _ body: ([Int32]) throws -> Result
  ) throws -> Result {
    let all = Set(32 + 2...Int32(64))
    let signals = lent.withValue { lent -> [Int32] in
      let found = all.subtracting(lent).sorted().prefix(count)
      if found.count == count { lent.formUnion(found) }
      return Array(found)
    }
    guard signals.count == count else { throw Wedge.found("no spare signal is left") }
    // A test may run on a thread that blocks signals.
    let blocked = unblock(signals)
    defer {
      block(blocked)
      for number in signals { signal(number, SIG_DFL) }
      lent.withValue { $0.subtract(signals) }
    }
    return try body(signals)
  }

  /// Returns the process's action for the signal.
  package static func action(of signal: Int32) -> sigaction {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return action
  }

  package enum Disposition: Equatable { case usual, ignored, handled }

  package static func disposition(of signal: Int32) -> Disposition {
    let action = action(of: signal)
    // SAFETY: the value is only compared with the two constants that are not functions.
    let word = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return word == 0 ? .usual : word == 1 ? .ignored : .handled
  }

  /// Blocks the signal, sends it to this thread several times, and then unblocks it.
  package static func raiseAtOnce(_ signal: Int32, times: Int) {
    var set = set(of: [signal])
    pthread_sigmask(SIG_BLOCK, &set, nil)
    for _ in 0..<times { raise(signal) }
    _ = unblock([signal])
  }

  /// Unblocks these signals on this thread.
  ///
  /// - Returns: The mask before the call.
  package static func unblock(_ signals: [Int32]) -> sigset_t {
    var set = set(of: signals), before = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &set, &before)
    return before
  }

  /// Blocks exactly these signals on this thread.
  package static func block(_ signals: sigset_t) {
    var set = signals
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }

  private static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
