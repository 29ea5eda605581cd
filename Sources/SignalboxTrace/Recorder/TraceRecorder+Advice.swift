// TraceRecorder+Advice — the advice that follows from the recording so far.

import SignalboxDiagnostics
import SignalboxRuntime

extension TraceRecorder {
  /// The common mistakes that the recording so far shows, those that cost most
  /// time first. Empty if nothing is recorded.
  ///
  /// ```swift
  /// var options = TraceRecorder.Options()
  /// options.places = true
  /// try TraceRecorder.start(options)
  /// work()
  /// for advice in TraceRecorder.advice() { print(advice) }
  /// ```
  ///
  /// Call it from any thread, also during a recording. It takes a few hundred
  /// nanoseconds and bytes for each recorded event, and a few milliseconds for
  /// each binary of the program to look up function names.
  ///
  /// *Beyond Apple's API.*
  public static func advice() -> [Advice] { traceSoFar()?.advice ?? [] }

  /// The trace of the recording so far; nil if nothing is recorded.
  static func traceSoFar() -> TraceModel? {
    let recording = TraceCapture.shared.withCopy(.demanded) { copy in
      try? TraceRecording(UnsafeRawBufferPointer(start: copy.base, count: copy.usedSize))
    }
    return (recording ?? nil).map { TraceModel($0) }
  }
}
