// TraceRecorderError — why a recording could not be made or written.

import SignalboxRuntime

/// What ``TraceRecorder`` could not do, with the path, the system call and its
/// errno where they apply.
///
/// *Beyond Apple's API.*
public enum TraceRecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A recording is in progress: stop it first.
  case isOn
  /// Nothing was recorded: start a recording first.
  case nothingRecorded
  /// The system refused the memory that the options ask for.
  case noMemory(bytes: Int, call: String, code: Int32)
  /// The path's extension names no format for recordings.
  case unknownFormat(path: String)
  /// The system refused to write the file. The file that was at the path before
  /// is unchanged.
  case cannotWrite(path: String, call: String, code: Int32)
  /// The recording could not be converted to the format of the path's
  /// extension. The file that was at the path before is unchanged. You can
  /// still write the recording as `.sbtrace`.
  case cannotExport(path: String, reason: String)

  public var description: String {
    switch self {
    case .isOn: "a recording is under way: stop it before another is started"
    case .nothingRecorded: "nothing was recorded: start a recording first"
    case .noMemory(let bytes, let call, let code):
      "no \(bytes) bytes of memory for the recording: \(call) failed with \(errorText(code))"
    case .unknownFormat(let path):
      "\"\(path)\" has no extension that says how to write a recording: use "
        + TraceFormat.endings.joined(separator: ", ")
    case .cannotWrite(let path, let call, let code):
      "the recording could not be written to \"\(path)\": \(call) failed with "
        + errorText(code)
    case .cannotExport(let path, let reason):
      "the recording could not be written to \"\(path)\": \(reason)"
    }
  }
}
