// ProcessFile — the small files of /proc that describe a process.

import Glibc

enum ProcessFile {
  /// The contents of a file, cut at the limit.
  static func read(_ path: String) -> Result<[UInt8], ReadError> {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .failure(ReadError(code: errno)) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < Limits.file {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return .failure(ReadError(code: errno)) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return .success(bytes)
  }

  static func text(_ path: String) -> String? {
    (try? read(path).get()).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The letter of a thread's state in a file such as /proc/PID/stat; nil if it is gone.
  static func state(of path: String) -> Character? {
    guard let stat = text(path), let end = stat.lastIndex(of: ")") else { return nil }
    return stat[stat.index(after: end)...].first { $0 != " " }
  }

  struct ReadError: Error {
    let code: Int32
  }

  /// The names in a folder that are numbers.
  static func numbers(in folder: String) -> [Int32] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var numbers: [Int32] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name), number > 0 { numbers.append(number) }
    }
    return numbers.sorted()
  }

  /// The words behind a name in a file of lines such as "Uid:	0	0	0	0".
  static func words(_ name: String, in status: String) -> [Substring] {
    for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
      return line.dropFirst(name.utf8.count + 1).split(whereSeparator: \.isWhitespace)
    }
    return []
  }
}

package enum Processes {
  /// The numbers of all processes.
  package static var all: [Int32] { ProcessFile.numbers(in: "/proc") }
}
