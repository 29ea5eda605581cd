// DispatchSource+Signal — the face of sources for signals.

/// A source that tells of a signal.
///
/// Source: Apple's documentation of `DispatchSourceSignal`.
public protocol DispatchSourceSignal: DispatchSourceProtocol {}

extension DispatchSource: DispatchSourceSignal {}

extension DispatchSource {
  /// Makes a source whose event handler is called when a signal was delivered to the
  /// process.
  ///
  /// ```swift
  /// signal(SIGINT, SIG_IGN)
  /// let interrupted = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
  /// interrupted.setEventHandler { print("interrupted \(interrupted.data) times") }
  /// interrupted.resume()
  /// ```
  ///
  /// The source's `data` is the number of deliveries since its handler was last called:
  /// however many came while the handler ran or the source was suspended, they make one
  /// call. The kernel itself keeps only one pending signal of a number below `SIGRTMIN`;
  /// those it dropped are not counted by anyone. Signals count from the activation on.
  ///
  /// As long as the signal has an active source, a handler of the library takes it. A
  /// handler that the program installed before is called by it, on the thread that the
  /// signal interrupts, as if it were there alone; when the last source of the signal is
  /// cancelled, it has its place again. A handler that the program installs *after* the
  /// source was activated replaces the library's: the source hears nothing, unless that
  /// handler calls the one it replaced. The next source that is made for the signal is
  /// heard again, and so are the earlier ones, and calls the program's handler.
  ///
  /// *Differences*: that holds for `signal(SIGINT, SIG_IGN)` too. Call it before the source is
  /// activated, as above; Apple's kernel tells of ignored signals as well.
  ///
  /// Any thread may call this. One delivery costs about as much as a signal handler that
  /// writes to a pipe; an idle source costs nothing. All signal sources of a process
  /// share one descriptor, which stays open.
  ///
  /// A signal that cannot be caught (`SIGKILL`, `SIGSTOP`, those that the C library
  /// keeps for itself) is refused when the source is activated: that is said on
  /// standard error, and the source is cancelled. A number that is no signal's traps.
  ///
  /// *Differences*: Apple's sources watch without touching the signal's disposition. Here
  /// one with its default action is caught, so `SIGTERM` no longer ends a program that has
  /// a source for it, with or without `signal(SIGTERM, SIG_IGN)` before. A program that
  /// this one executes finds the signal in its default state, not ignored. A fault of
  /// the program itself (a null pointer for `SIGSEGV`) takes its default action. A forked
  /// child has none of its parent's sources, and the handlers that were there
  /// before them.
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
