// DispatchSource+Signal — sources for signals.

/// A source that reports a signal.
///
/// Source: Apple's documentation of `DispatchSourceSignal`.
public protocol DispatchSourceSignal: DispatchSourceProtocol {}

extension DispatchSource: DispatchSourceSignal {}

extension DispatchSource {
  /// Creates a source whose event handler is called when a signal was delivered to the process.
  ///
  /// ```swift
  /// signal(SIGINT, SIG_IGN)
  /// let interrupted = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
  /// interrupted.setEventHandler { print("interrupted \(interrupted.data) times") }
  /// interrupted.resume()
  /// ```
  ///
  /// The source's `data` is the number of deliveries since the last call of the handler:
  /// deliveries that occur while the handler runs or the source is suspended make one call.
  /// The kernel itself keeps only one pending signal of a number below `SIGRTMIN`; those that
  /// it drops are not counted. Signals count from the activation on.
  ///
  /// As long as the signal has an active source, a signal handler of the library takes it. The
  /// library calls the handler that the program installed before, on the thread that the signal
  /// interrupts, as if it were installed alone. When the last source of the signal is cancelled,
  /// that handler is restored. A handler that the program installs *after* the activation
  /// replaces the library's: the source then receives nothing, unless that handler calls the one
  /// it replaced. The next source for the signal restores the library's handler, which calls the
  /// program's, and the earlier sources receive the signal again.
  ///
  /// *Differences*: `signal(SIGINT, SIG_IGN)` also replaces the library's handler. Call it before
  /// you activate the source, as above; Apple's kernel reports ignored signals as well.
  ///
  /// Any thread may call it. One delivery costs about as much as a signal handler that writes to
  /// a pipe; an idle source costs nothing. All signal sources of a process share one descriptor,
  /// which stays open.
  ///
  /// A signal that cannot be caught (`SIGKILL`, `SIGSTOP`, and those that the C library reserves)
  /// is refused when the source is activated: a message on standard error says so, and the source
  /// is cancelled. The call traps if the number is not a signal.
  ///
  /// *Differences*: Apple's sources watch a signal without touching its disposition. Here a
  /// signal with its default action is caught, so `SIGTERM` no longer ends a program that has a
  /// source for it, with or without `signal(SIGTERM, SIG_IGN)` before. A program that this one
  /// executes finds the signal in its default state, not ignored. A fault of the program itself
  /// (a null pointer for `SIGSEGV`) takes its default action. A forked child has none of its
  /// parent's sources; the handlers that the program installed before them are in place again.
  ///
  /// Source: Apple's documentation of `DispatchSource.makeSignalSource(signal:queue:)`;
  /// signal(7).
  ///
  /// - Parameters:
  ///   - signal: the signal's number.
  ///   - queue: where the handlers run; by default a global queue.
  /// - Returns: the source, inactive: call `activate()` or `resume()`.
  public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil)
    -> any DispatchSourceSignal
  {
    DispatchSource(SignalSource(signal: signal, queue: queue))
  }
}
