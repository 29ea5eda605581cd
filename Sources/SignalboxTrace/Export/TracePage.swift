// TracePage — the page that draws a trace, with the trace in it.
//
// The page is assembled from its files by a rule that its first file states: a
// line "@@file NAME" becomes that file, a line "@@story" becomes the trace, and
// every other line stays. Text that comes from a recording is never searched
// for such lines.

import CSignalboxPage

struct TracePage: Sendable {
  /// A file is missing from the page. The page's own tests check that none is.
  struct MissingFile: Error, Hashable {
    let name: String
  }

  private static let fileLine = Array("@@file ".utf8)
  private static let storyLine = Array("@@story".utf8)

  /// Returns a file of the page by its name.
  let file: @Sendable (String) -> UnsafeRawBufferPointer?

  /// The page that is built into this library.
  static let built = TracePage { name in
    var size = 0
    // SAFETY: constant memory of the program, never freed.
    guard let bytes = csp_page_file(name, &size) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: size)
  }

  func write(_ trace: TraceModel, to output: inout ByteOutput) throws(MissingFile) {
    let index = try bytes("index.html")
    var start = index.startIndex
    while start < index.endIndex {
      let end = index[start...].firstIndex(of: UInt8(ascii: "\n")) ?? index.endIndex
      let line = index[start..<end]
      if line.elementsEqual(TracePage.storyLine) {
        TraceJSON(trace).write(to: &output)
        output.put(UInt8(ascii: "\n"))
      } else if line.starts(with: TracePage.fileLine) {
        let name = String(decoding: line.dropFirst(TracePage.fileLine.count), as: UTF8.self)
        output.put(try bytes(name))
      } else {
        output.put(index[start..<min(end + 1, index.endIndex)])
      }
      start = end + 1
    }
  }

  private func bytes(_ name: String) throws(MissingFile) -> UnsafeRawBufferPointer {
    guard let bytes = file(name) else { throw MissingFile(name: name) }
    return bytes
  }
}
