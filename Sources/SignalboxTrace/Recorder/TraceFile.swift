// TraceFile — where a recording is written to, and how.

import CSignalbox
import SignalboxRuntime

/// A file for a recording.
struct TraceFile: Sendable {
  let path: String
  let format: TraceFormat

  init(path: String) throws(TraceRecorderError) {
    self.path = path
    format = try TraceFormat(path: path)
  }

  /// Under which name it is written until it is whole: in the same directory, since it is
  /// renamed then.
  var temporary: String {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<start]).\(path[start...]).\(csb_process_id()).tmp"
  }

  /// Writes what is recorded.
  func write(_ cause: TraceCause) throws(TraceRecorderError) {
    let result: Result<Void, TraceRecorderError>? = TraceCapture.shared.withCopy(cause) { copy in
      switch format {
      case .image: write(copy)
      }
    }
    guard let result else { throw .nothingRecorded }
    try result.get()
  }

  private func write(_ image: TraceMemory) -> Result<Void, TraceRecorderError> {
    var call: UnsafePointer<CChar>?
    let bytes = image.bytes
    return result(csb_trace_write(bytes, bytes, path, temporary, &call), call)
  }

  /// Whether it could be written: an error is better told before the program has run.
  func check() throws(TraceRecorderError) {
    var call: UnsafePointer<CChar>?
    let error = csb_trace_try(path, temporary, &call)
    try result(error, call).get()
  }

  private func result(
    _ error: Int32, _ call: UnsafePointer<CChar>?
  ) -> Result<Void, TraceRecorderError> {
    if error == 0 { return .success(()) }
    let name = call.map { String(cString: $0) } ?? "open"
    return .failure(.cannotWrite(path: path, call: name, code: error))
  }
}
