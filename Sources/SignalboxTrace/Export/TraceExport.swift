// TraceExport — writes a recording to a file, in the format that the file's
// name asks for.

import Glibc

package enum TraceExport {
  /// Writes the recording in the format that the path's extension names:
  /// `.sbtrace` for the recording itself, `.html` for a page, `.json` for its
  /// trace, `.txt` for text, `.perfetto-trace` or `.pftrace` for Perfetto.
  /// Replaces a file at `path` once the new one is complete.
  ///
  /// Call it from any thread. It takes a few hundred nanoseconds and bytes for
  /// each event. The image must not change during the call.
  ///
  /// - Throws: an error about the name, the image or the system's answer.
  ///   `path` is then unchanged.
  package static func write(
    rawImage: UnsafeRawBufferPointer, to path: String
  ) throws(TraceExportError) {
    guard let format = TraceFormat(path: path) else { throw .unknownFormat(path: path) }
    let recording: TraceRecording
    do throws(TraceImageError) {
      recording = try TraceRecording(rawImage)
    } catch {
      throw .notARecording(error)
    }
    let file = try TraceFile(path: path)
    if format == .raw {
      let error = file.write(rawImage)
      if error != 0 { throw .call("write", path: path, errno: error) }
    } else {
      var output = ByteOutput(file)
      try put(TraceModel(recording), as: format, to: &output)
      try output.finish()
    }
    try file.complete()
  }

  /// Checks that a file can be written at `path`, and leaves nothing there.
  package static func check(_ path: String) throws(TraceExportError) {
    _ = try TraceFile(path: path)
    if TraceFile.isFolder(path) { throw .call("rename", path: path, errno: EISDIR) }
  }

  private static func put(
    _ trace: TraceModel, as format: TraceFormat, to output: inout ByteOutput
  ) throws(TraceExportError) {
    switch format {
    case .raw: break
    case .json:
      TraceJSON(trace).write(to: &output)
      output.put("\n")
    case .text: output.put(PlainText(trace).all)
    case .perfetto: PerfettoTrace(trace).write(to: &output)
    case .page:
      do throws(TracePage.MissingFile) {
        try TracePage.built.write(trace, to: &output)
      } catch {
        throw .pageLacks(file: error.name)
      }
    }
  }
}
