// RecordingFile — the file of a recording, and its format.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

/// A file for a recording.
struct RecordingFile: Sendable {
  let path: String
  let format: TraceFormat

  init(path: String) throws(TraceRecorderError) {
    // A path in /dev, such as a pipe, has no extension: it receives the image.
    guard let format = TraceFormat(path: path) ?? (path.hasPrefix("/dev/") ? .raw : nil) else {
      throw .unknownFormat(path: path)
    }
    self.path = path
    self.format = format
  }

  /// Where a crash writes the image, the only format that it can write.
  var imagePath: String { format == .raw ? path : path + TraceFormat.raw.endings[0] }

  /// The line that a crash prints: where the image is, and the command that
  /// converts it to the requested format, or to a page.
  var crashNotice: String {
    let ending = TraceFormat.raw.endings[0]
    let start = path.hasSuffix(ending) ? String(path.dropLast(ending.count)) : path
    let wanted = format == .raw ? start + TraceFormat.page.endings[0] : path
    let (image, result) = (RecordingFile.word(imagePath), RecordingFile.word(wanted))
    return "SIGNALBOX: the crash is recorded in \(imagePath). To see it: "
      + "swift run signalbox-trace \(image) -o \(result)"
  }

  /// Quotes a path for a shell command, and keeps a path that begins with a dash from being taken
  /// for an option.
  private static func word(_ path: String) -> String {
    let text = path.hasPrefix("-") ? "./" + path : path
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+,:=@%".utf8.contains(byte)
      }
    }
    if isPlain { return text }
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: "'\\''"))'"
  }

  /// The temporary name of the image until it is complete. It is in the same
  /// directory, because the file is renamed afterwards.
  var temporary: String {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<start]).\(path[start...]).\(csb_process_id()).tmp"
  }

  /// Writes the recording.
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
        rawImage: UnsafeRawBufferPointer(start: image.base, count: image.usedSize), to: path)
      return .success(())
    } catch {
      if case .call(let call, _, let errno) = error {
        return .failure(.cannotWrite(path: path, call: call, code: errno))
      }
      return .failure(.cannotExport(path: path, reason: error.description))
    }
  }

  /// Checks that the file can be written, to report an error before the program
  /// runs.
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
