// TraceRecorderError — why there is no recording, or no file of one.

import SignalboxRuntime

/// What ``TraceRecorder`` could not do, with the path, the system's call and its errno where
/// there are such.
///
/// *Beyond Apple's API.*
public enum TraceRecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A recording is under way: stop it first.
  case isOn
  /// Nothing was recorded: start a recording first.
  case nothingRecorded
  /// The system refused the memory that the options ask for.
  case noMemory(bytes: Int, call: String, code: Int32)
  /// The path's extension is none of those in which a recording can be written.
  case unknownFormat(path: String)
  /// The system refused to write the file. What stood under its name before stands there still.
  case cannotWrite(path: String, call: String, code: Int32)
  /// What is recorded could not be brought into the form that the path's extension says. What
  /// stood under its name before stands there still; as `.sbtrace` it can be written.
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
