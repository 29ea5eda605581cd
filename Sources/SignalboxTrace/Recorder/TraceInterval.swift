// TraceInterval — the program's own intervals in a recording.
//
// While nothing is recorded, a call only tests one word. The test is inlined, so
// that the program does not make the texts of an interval that is not recorded.

public import CSignalbox
import SignalboxDiagnostics

extension TraceRecorder {
  /// An interval that has begun: a piece of the program's own work, such as a request.
  ///
  /// You can copy it and hand it to any thread.
  ///
  /// *Beyond Apple's API.*
  public struct Interval: Sendable {
    private let recorded: TraceCapture.Interval

    private init(_ recorded: TraceCapture.Interval) { self.recorded = recorded }

    /// Ends the interval. Any thread may call this.
    ///
    /// It does nothing if the interval began while nothing was recorded, or in a
    /// recording that is over. End an interval once: a recording keeps the first
    /// end and counts the others in its notes.
    public func end() {
      if TraceRecorder.isOn { TraceCapture.endInterval(recorded) }
    }

    /// The interval to return while nothing is being recorded.
    @usableFromInline
    static var unrecorded: Interval { Interval(.none) }

    @usableFromInline
    static func begin(_ name: StaticString, _ details: String, isScoped: Bool) -> Interval {
      Interval(TraceCapture.beginInterval(name, details, isScoped: isScoped))
    }
  }

  /// Records a call of a closure as an interval: a bar on this thread in every
  /// form of the recording.
  ///
  /// ```swift
  /// let image = try TraceRecorder.interval("decode", file.name) { try decode(file) }
  /// ```
  ///
  /// Intervals nest, and each belongs to the item in which it begins. For one
  /// that ends elsewhere, on another thread or after an `await`, call
  /// ``beginInterval(_:_:)``.
  ///
  /// While nothing is recorded, this tests one word and calls the closure, and
  /// `details` is not evaluated. Otherwise an interval takes two events of 32
  /// bytes. Its name is recorded once, so use few names, and put what differs
  /// from call to call into `details`, which take memory of their own
  /// (``Options/namesMemory``).
  ///
  /// You can call it from any thread, also while you hold locks.
  ///
  /// - Parameters:
  ///   - name: what the program does. Truncated after 1024 bytes.
  ///   - details: what tells this interval from others of the same name.
  ///     Truncated after 1024 bytes.
  ///   - body: the work. Its result is returned, and its error is thrown.
  @inlinable
  public static func interval<Result: ~Copyable, Failure: Error>(
    _ name: StaticString, _ details: @autoclosure () -> String = "",
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if csb_probe_recorded_load() == 0 { return try body() }
    let interval = Interval.begin(name, details(), isScoped: true)
    defer { interval.end() }
    return try body()
  }

  /// Records that an interval begins on this thread. Any thread may end it.
  ///
  /// ```swift
  /// let request = TraceRecorder.beginInterval("request", path)
  /// queue.async {
  ///   reply(to: path)
  ///   request.end()
  /// }
  /// ```
  ///
  /// Intervals of one name may overlap: each has an identity of its own. One
  /// that is not ended lasts until the end of the recording.
  ///
  /// While nothing is recorded, the beginning and the end take a few nanoseconds together.
  /// Otherwise they cost what ``interval(_:_:_:)`` costs. You can call it from any thread.
  ///
  /// - Parameters:
  ///   - name: what the program does. Truncated after 1024 bytes.
  ///   - details: what tells this interval from others of the same name.
  ///     Truncated after 1024 bytes.
  /// - Returns: the interval, to end with ``Interval/end()``.
  @inlinable
  public static func beginInterval(
    _ name: StaticString, _ details: @autoclosure () -> String = ""
  ) -> Interval {
    if csb_probe_recorded_load() == 0 { return .unrecorded }
    return .begin(name, details(), isScoped: false)
  }
}
