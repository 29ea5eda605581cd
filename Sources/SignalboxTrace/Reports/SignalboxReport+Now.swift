// SignalboxReport+Now — makes a report, and writes it as text.

@_exported public import struct SignalboxDiagnostics.SignalboxReport
import SignalboxDispatch

extension SignalboxReport {
  /// A report of the current moment.
  ///
  /// Call it from any thread. It takes each waiting thread's record lock for a
  /// moment and the locks of the lists of queues, timers and loops for a few microseconds, and
  /// reads a few small files of `/proc` for each thread. It does not block queues: it counts the
  /// items of a queue in use from outside, which takes a few hundred nanoseconds for each item, up
  /// to ten thousand items.
  public static var now: SignalboxReport { gathered() }

  /// The report as text: one line for each thread that waits in a call of this
  /// library, with the program's functions on its stack below it; one for each
  /// other thread of the process; and then one for each queue, timer, operation
  /// and run loop with something to report. Finding the functions' names takes
  /// some milliseconds for each file that contains one.
  ///
  /// ```
  /// thread 7 (kernel 4711, "painter") waits for the NSLock "canvas" (for 21 ms), held by
  /// thread 3 (kernel 4707, "loader")
  ///     at Server.Canvas.draw() -> () in server
  /// thread 3 (kernel 4707, "loader") runs
  /// thread 4 (kernel 4708, "sb-default-1") is ready, and waits for a processor
  /// the queue "com.example.db" (serial) holds 3 items, the oldest for 21 ms or longer; thread 4
  /// (kernel 4708, "sb-default-1") serves it
  /// ```
  ///
  /// The kernel keeps only the first fifteen bytes of a thread's name.
  public var text: String { lines.joined(separator: "\n") }

  // MARK: Shortcuts

  /// The current report as text: see ``text-swift.property``.
  public static var text: String { now.text }

  /// The current report as JSON: see ``json-swift.property``.
  public static var json: String { now.json }

  /// Prints ``text-swift.type.property`` to standard output.
  public static func print() { Swift.print(text) }
}
