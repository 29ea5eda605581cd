// ListingsIndex — the index of the documents' listings, and where things are.

import ChildProcess
import Glibc
import Testing

enum ListingsIndex {
  /// A line of the index.
  struct Entry: Sendable, CustomTestStringConvertible {
    let number: String
    let document: String
    let line: Int
    let rows: String
    var testDescription: String { number }
  }

  /// The folder of the package.
  static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/")

  /// The program under test: it is built into the folder the tests run from.
  static let program: String = {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink("/proc/self/exe", bytes.baseAddress!, bytes.count)
    }
    let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/Listings"
  }()

  /// Every line of the index.
  static let entries: [Entry] = text(of: "\(package)/Sources/Listings/Index/listings.tsv")
    .split(separator: "\n").dropFirst()
    .map { line in
      let columns = line.split(separator: "\t").map(String.init)
      return Entry(
        number: columns[0], document: columns[1], line: Int(columns[2])!, rows: columns[3])
    }

  /// What the program says it has: number and rows.
  static func claimed() throws -> [(number: String, rows: String)] {
    try ChildProcess.run(program, ["--index"]).standardOutput
      .split(separator: "\n")
      .map { line in
        let columns = line.split(separator: "\t").map(String.init)
        return (columns[0], columns[1])
      }
  }

  static func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
