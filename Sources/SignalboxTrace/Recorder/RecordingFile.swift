// RecordingFile — where a recording is written to, and how.

import CSignalbox
import SignalboxRuntime

/// A file for a recording.
struct RecordingFile: Sendable {
  let path: String
  let format: TraceFormat

  init(path: String) throws(TraceRecorderError) {
    // What is no file has no extension: a pipe takes the image.
    guard let format = TraceFormat(path: path) ?? (path.hasPrefix("/dev/") ? .raw : nil) else {
      throw .unknownFormat(path: path)
    }
    self.path = path
    self.format = format
  }

  /// Where a crash leaves the image: nothing else can be written then.
  var imagePath: String { format == .raw ? path : path + TraceFormat.raw.endings[0] }

  /// Under which name the image is written until it is whole: in the same directory, since it
  /// is renamed then.
  var temporary: String {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<start]).\(path[start...]).\(csb_process_id()).tmp"
  }

  /// Writes what is recorded.
  func write(_ cause: TraceCause) throws(TraceRecorderError) {
    let result: Result<Void, TraceRecorderError>? = TraceCapture.shared.withCopy(cause) { copy in
      format == .raw ? write(copy) : export(copy)
    }
    guard let result else { throw .nothingRecorded }
    try result.get()
  }

  private func write(_ image: TraceMemory) -> Result<Void, TraceRecorderError> {
    var call: UnsafePointer<CChar>?
    let bytes = image.bytes
    return result(csb_trace_write(bytes, bytes, path, temporary, &call), call)
  }

  private func export(_ image: TraceMemory) -> Result<Void, TraceRecorderError> {
    do throws(TraceExportError) {
      try TraceExport.write(
        rawImage: UnsafeRawBufferPointer(start: image.base, count: image.size), to: path)
      return .success(())
    } catch {
      if case .call(let call, _, let errno) = error {
        return .failure(.cannotWrite(path: path, call: call, code: errno))
      }
      return .failure(.cannotExport(path: path, reason: error.description))
    }
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
