// MappedFiles — where a process has files in its memory, from /proc/PID/maps.
//
// Sources     proc_pid_maps(5).

struct MappedFiles {
  struct Start {
    let address: UInt64
    let path: String
  }

  /// The mappings of the first byte of a file: first those of files with code, then those of others; each in the
  /// order of their addresses.
  let starts: [Start]
  /// Whether there are more files than the limit.
  let isCut: Bool

  /// - Parameter limit: how many files with code to find, and how many others.
  init(_ text: String, limit: (code: Int, others: Int) = (Limits.codeFiles, Limits.mappings)) {
    var found: [(start: Start, file: Substring)] = []
    // The files with code, by device and inode number.
    var withCode: Set<Substring> = []
    for line in text.split(separator: "\n") {
      // "55d2c8e00000-55d2c8e21000 r--p 00000000 08:02 173521      /usr/bin/dbus-daemon"
      let words = line.split(separator: " ", maxSplits: 5)
      guard words.count >= 5, words[4] != "0", let offset = UInt64(words[2], radix: 16) else {
        continue
      }
      let file = line[words[3].startIndex..<words[4].endIndex]
      if words[1].dropFirst(2).first == "x" { withCode.insert(file) }
      guard offset == 0, words[1].hasPrefix("r"),
        let address = words[0].split(separator: "-").first.flatMap({ UInt64($0, radix: 16) })
      else { continue }
      let path = words.count > 5 ? words[5].drop { $0 == " " } : ""
      let start = Start(
        address: address, path: DisplayText.make(Array(path.utf8), isCut: false))
      found.append((start, file))
    }
    let code = found.filter { withCode.contains($0.file) }.map(\.start)
    let others = found.filter { !withCode.contains($0.file) }.map(\.start)
    starts = Array(code.prefix(limit.code)) + Array(others.prefix(limit.others))
    isCut = code.count > limit.code
  }

  /// All parts of files.
  static func parts(_ text: String) -> [FilePart] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 5)
      let ends = words.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
      guard words.count == 6, ends.count == 2, words[4] != "0",
        let offset = UInt64(words[2], radix: 16)
      else { return nil }
      return FilePart(
        start: ends[0], end: ends[1], offset: offset, path: String(words[5].drop { $0 == " " }),
        hasCode: words[1].dropFirst(2).first == "x")
    }
  }
}
