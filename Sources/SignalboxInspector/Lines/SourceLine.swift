// SourceLine — a line of a source file.

struct SourceLine: Equatable {
  /// As the line table has it; the compilation directory is in front of a relative path if the table states it.
  let path: String
  let line: UInt32

  /// The components of the path that text shows, counted from its end.
  private static let components = 3

  /// For the lines of a report: the end of the path, and the number.
  var words: String {
    let end = path.split(separator: "/").suffix(SourceLine.components).joined(separator: "/")
    let shown = end.utf8.count > Limits.text ? "…\(end.suffix(Limits.text))" : end
    return "\(shown):\(line)"
  }
}

/// An address in a file, for which a line is wanted.
struct LinePlace {
  let address: UInt64
  /// The first byte of the function; nil if it is not known.
  let function: UInt64?
}

/// What a line program says about the addresses from `address` up to that of the next row.
struct LineRow {
  var address: UInt64 = 0
  /// An index into the table of files.
  var file: UInt64 = 1
  /// 0 if the compiler made the instructions for no line.
  var line: UInt64 = 1
}
