// TraceRecorder — records what queues, threads and run loops do, for people to
// look at later.
//
// `TraceCapture` makes the recording. This file holds its public options and
// functions.

import SignalboxDiagnostics
import SignalboxRuntime

/// Records the events of queues, threads, locks, timers and run loops: what was
/// submitted, when and by which thread, how long it waited, where it ran, what
/// it waited for and which thread woke it.
///
/// ```swift
/// try TraceRecorder.start()
/// work()
/// TraceRecorder.stop()
/// try TraceRecorder.write(to: "work.html")
/// ```
///
/// To record any program from before `main` without changing it:
///
/// ```
/// SIGNALBOX_TRACE=work.html ./program
/// ```
///
/// The memory of a recording has a fixed size. When it is full, the oldest
/// events are overwritten and counted. An event costs a few tens of nanoseconds,
/// and nothing while no recording is on. A forked child records nothing until
/// it starts its own recording.
///
/// You can call every member from any thread.
///
/// *Beyond Apple's API.*
public enum TraceRecorder {
  /// The options of a recording.
  ///
  /// *Beyond Apple's API.*
  public struct Options: Sendable {
    /// Bytes for events. Each event takes 32 bytes. The size is rounded down to
    /// chunks of 16 KiB, with a minimum of one chunk. Each thread needs a chunk
    /// of its own; threads without one record nothing, and the recorder counts
    /// the events that they lose.
    public var memory = 16 << 20
    /// Bytes for marks and for the names of queues, threads and objects; `nil`
    /// for a quarter of ``memory``, and at least 1 MiB. When they are used up,
    /// the recorder removes names that no event needs any more: those of freed
    /// queues, ended threads and overwritten marks. If that is not enough, it
    /// counts the names that don't fit.
    public var namesMemory: Int?
    /// The kinds of events to record.
    public var kinds: Kinds = .standard
    /// Patterns of the labels of queues whose events are recorded, in which `*`
    /// matches any text. Empty records all queues.
    public var labels: [String] = []
    /// Whether to record where in the program items are submitted and threads
    /// wait, for ``TraceRecorder/advice()``. The recorder notes the function
    /// that called this package, for some of the events and for every wait of
    /// at least a millisecond. That costs a few microseconds each time, and at
    /// most a tenth of a thread's time. The functions' names are looked up when
    /// the recording is written.
    public var places = false

    /// Creates the default options.
    public init() {}
  }

  /// Starts a recording and discards the previous one.
  ///
  /// The memory comes from the system as it is used. Its addresses stay
  /// reserved for the life of the process, because a thread may be in the
  /// middle of an event when a recording ends.
  public static func start(_ options: Options = Options()) throws(TraceRecorderError) {
    try start(options, without: [])
  }

  /// Starts a recording that omits some of the steps that the options include.
  static func start(
    _ options: Options, without leftOut: [EventKind]
  ) throws(TraceRecorderError) {
    let settings = settings(options, without: leftOut)
    try check(TraceCapture.shared.begin(settings), settings)
  }

  /// Starts a recording for a tool in another process, unless there is one. One that has ended also
  /// counts, because it may be written later.
  ///
  /// - Returns: its number.
  static func startAsked(_ options: Options) throws(TraceRecorderError) -> UInt32 {
    let settings = settings(options, without: [])
    var session: UInt32 = 0
    try check(TraceCapture.shared.begin(settings, asOnly: &session), settings)
    return session
  }

  private static func settings(
    _ options: Options, without leftOut: [EventKind]
  ) -> TraceCapture.Settings {
    let patterns = options.labels.map(LabelPattern.init)
    let bytes = min(max(options.memory, TraceMemory.chunkSize), 1 << 40)
    let names = min(max(options.namesMemory ?? max(bytes / 4, 1 << 20), 4096), 1 << 30)
    var includes: (@Sendable (String) -> Bool)?
    if !patterns.isEmpty { includes = { label in patterns.contains { $0.matches(label) } } }
    return TraceCapture.Settings(
      chunkBytes: bytes, namesBytes: names,
      kinds: options.kinds.probes.filter { !leftOut.contains($0) },
      includes: includes, places: options.places)
  }

  private static func check(
    _ error: Int32, _ settings: TraceCapture.Settings
  ) throws(TraceRecorderError) {
    if error == 0 { return }
    throw error == TraceCapture.isOnAlready
      ? .isOn
      : .noMemory(bytes: settings.chunkBytes + settings.namesBytes, call: "mmap", code: error)
  }

  /// Whether events are being recorded now.
  public static var isOn: Bool { TraceCapture.isOn }

  /// Ends the recording and keeps it for writing. Does nothing if no recording
  /// is on.
  ///
  /// Events that other threads are recording during the call may be missing.
  public static func stop() { TraceCapture.shared.end() }

  /// The recording, in the format of a file with the extension `sbtrace`. Empty
  /// if nothing is recorded.
  ///
  /// Other threads keep recording: each is held up at most for the time to copy
  /// a few chunks and the chunks that threads have open. The call takes the
  /// time and the memory to copy the recording.
  public static func snapshot() -> [UInt8] {
    TraceCapture.shared.withCopy(.demanded) { copy in
      Array(UnsafeRawBufferPointer(start: copy.base, count: copy.usedSize))
    } ?? []
  }

  /// Writes the recording to a file in the format that the extension names:
  /// `html` for a page to open in a browser, `txt` for text and drawings in a
  /// terminal, `perfetto-trace` or `pftrace` for Perfetto, `json` for the
  /// items and waits as data, and `sbtrace` for the recording itself, which the program
  /// `signalbox-trace` converts to the others later.
  ///
  /// Call it from any thread, also during a recording. Except for `sbtrace`, it
  /// takes a few hundred nanoseconds and bytes for each event. The call writes
  /// the file under a temporary name in the same directory, and renames the
  /// file when it is complete.
  public static func write(to path: String) throws(TraceRecorderError) {
    try RecordingFile(path: path).write(.demanded)
  }

  /// Records a mark on this thread. Does nothing if no recording is on.
  ///
  /// - Parameter text: the text of the mark; truncated after 1024 bytes.
  public static func mark(_ text: @autoclosure () -> String) {
    if isOn { TraceCapture.mark(text()) }
  }
}
