// TraceFormat — in which form a recording is written, by the extension of the file's name.

/// The forms of a file. The one place that knows them.
enum TraceFormat: String, CaseIterable {
  /// The image as it stands in memory.
  case image = "sbtrace"

  init(path: String) throws(TraceRecorderError) {
    let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    let suffix = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
    guard let format = suffix.flatMap(TraceFormat.init) else {
      // What is no file has no extension: a pipe takes the image.
      if path.hasPrefix("/dev/") {
        self = .image
        return
      }
      throw .unknownFormat(path: path)
    }
    self = format
  }

  /// For messages: ".sbtrace".
  static var extensions: String { allCases.map { "." + $0.rawValue }.joined(separator: ", ") }
}
