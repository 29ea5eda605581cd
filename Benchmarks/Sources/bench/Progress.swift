import Foundation

/// What is being done and what went wrong, apart from the table on standard
/// output.
enum Progress {
  static func say(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}
