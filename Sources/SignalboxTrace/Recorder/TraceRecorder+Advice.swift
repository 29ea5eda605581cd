// TraceRecorder+Advice — what the recording so far says against the program.

import SignalboxRuntime

extension TraceRecorder {
  /// The classic mistakes that what is recorded so far shows, those that have cost most time
  /// first. Empty if nothing is recorded.
  ///
  /// ```swift
  /// var options = TraceRecorder.Options()
  /// options.places = true
  /// try TraceRecorder.start(options)
  /// work()
  /// for advice in TraceRecorder.advice() { print(advice) }
  /// ```
  ///
  /// Any thread; a recording may be under way. It takes some hundred nanoseconds and bytes for each
  /// event that is recorded, and some milliseconds for each file of the program, in which its functions'
  /// names are looked for.
  ///
  /// *Beyond Apple's API.*
  public static func advice() -> [Advice] { storySoFar()?.advice ?? [] }

  /// nil if nothing is recorded.
  static func storySoFar() -> TraceStory? {
    let recording = TraceCapture.shared.withCopy(.demanded) { copy in
      try? TraceRecording(UnsafeRawBufferPointer(start: copy.base, count: copy.usedSize))
    }
    return (recording ?? nil).map { TraceStory($0) }
  }
}
