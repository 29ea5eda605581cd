// TraceRecorder — records what queues, threads and run loops do, for people who look at it later.
//
// The recording itself is `TraceCapture`'s; here are its options, its files and its place in the
// environment.

import SignalboxRuntime

/// Records each step of queues, threads, locks, timers and run loops: who submitted what when, how
/// long it waited, where it ran, what it waited for and who woke it.
///
/// ```swift
/// try TraceRecorder.start()
/// work()
/// TraceRecorder.stop()
/// try TraceRecorder.write(to: "work.html")
/// ```
///
/// Without a line of code, for any program and from before `main` on:
///
/// ```
/// SIGNALBOX_TRACE=work.html ./program
/// ```
///
/// The memory of a recording has a fixed size: when it is full, what was recorded first is written
/// over, and counted. An event costs some tens of nanoseconds; where nothing is recorded, nothing.
/// A forked child records nothing before it starts a recording of its own.
///
/// All of it may be called from any thread.
///
/// *Beyond Apple's API.*
public enum TraceRecorder {
  /// How a recording is made.
  ///
  /// *Beyond Apple's API.*
  public struct Options: Sendable {
    /// Bytes for events, of which each takes 32, rounded down to chunks of 16 KiB, of which there
    /// is one at least. A thread has a chunk of its own; threads beyond their number record
    /// nothing, and what they lose is counted.
    public var memory = 16 << 20
    /// Bytes for the names of queues, threads and objects, and for marks; `nil` for a quarter of
    /// ``memory``, but 1 MiB at least. When they are used up, names make room of which no event
    /// is left: those of queues that are freed, of threads that have ended, of marks that were
    /// written over. If that is not enough, later ones have no names, and their number is counted.
    public var namesMemory: Int?
    /// Which steps are recorded.
    public var kinds: Kinds = .standard
    /// Patterns of the labels of queues whose steps are recorded; `*` stands for any text. Without
    /// one, those of all queues are.
    public var labels: [String] = []
    /// Whether it is recorded where in the program items are submitted and threads wait, for
    /// ``TraceRecorder/advice()``: the function that called this package, of some of the steps and
    /// of every wait of a millisecond. It costs some microseconds each time, a tenth of a thread's
    /// time at most; the functions' names are looked for when the recording is written.
    public var places = false

    /// The usual options.
    public init() {}
  }

  /// Starts a recording. What an earlier one has recorded is gone.
  ///
  /// The memory is taken from the system as it is used; its addresses are kept for the life of
  /// the process, since a thread may be in the middle of an event when a recording ends.
  public static func start(_ options: Options = Options()) throws(TraceRecorderError) {
    let patterns = options.labels.map(LabelPattern.init)
    let bytes = min(max(options.memory, TraceMemory.chunkSize), 1 << 40)
    let names = min(max(options.namesMemory ?? max(bytes / 4, 1 << 20), 4096), 1 << 30)
    var includes: (@Sendable (String) -> Bool)?
    if !patterns.isEmpty { includes = { label in patterns.contains { $0.matches(label) } } }
    let settings = TraceCapture.Settings(
      chunkBytes: bytes, namesBytes: names, kinds: options.kinds.probes, includes: includes,
      places: options.places)
    let error = TraceCapture.shared.begin(settings)
    if error == 0 { return }
    throw error == TraceCapture.isOnAlready
      ? .isOn : .noMemory(bytes: bytes + names, call: "mmap", code: error)
  }

  /// Whether steps are recorded now.
  public static var isOn: Bool { TraceCapture.isOn }

  /// Ends the recording, which stays to be written. Nothing if there is none.
  ///
  /// Steps that other threads are taking meanwhile may be missing.
  public static func stop() { TraceCapture.shared.end() }

  /// What is recorded, as it stands in a file with the extension `sbtrace`. Empty if nothing is.
  ///
  /// The others go on recording: nobody is held up for longer than it takes to copy a few
  /// chunks and those that threads have open. It costs the time to copy what is recorded, and its
  /// memory.
  public static func snapshot() -> [UInt8] {
    TraceCapture.shared.withCopy(.demanded) { copy in
      Array(UnsafeRawBufferPointer(start: copy.base, count: copy.usedSize))
    } ?? []
  }

  /// Writes what is recorded to a file, whose extension says how: `html` is a page to be opened in
  /// a browser, `txt` words and drawings for a terminal, `perfetto-trace` or `pftrace` is for
  /// Perfetto, `json` the story of each item, and `sbtrace` the recording itself, from which the
  /// program `signalbox-trace` makes the others later.
  ///
  /// Any thread. But for the last, it takes some hundred nanoseconds and bytes for each event. The
  /// file is written under another name beside it and renamed when it is whole. A recording
  /// may be under way.
  public static func write(to path: String) throws(TraceRecorderError) {
    try RecordingFile(path: path).write(.demanded)
  }

  /// Records a mark of the program's own on this thread. Nothing if no recording is under way.
  ///
  /// - Parameter text: what it says; of more than 1024 bytes the rest is cut off.
  public static func mark(_ text: @autoclosure () -> String) {
    if isOn { TraceCapture.mark(text()) }
  }
}
