// ProgramFile — what kind of program a file is.

import Glibc

struct ProgramFile {
  private let start: [UInt8]

  enum Kind {
    /// Text that names the program which reads it.
    case script(interpreter: String)
    case image(ELFImage)
  }

  init(_ path: String) throws(Refusal) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Refusal(text: "\(path): \(String(cString: strerror(errno)))") }
    defer { close(file) }
    // The headers of an image are at its beginning, and its notes close behind.
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var used = 0
    while used < bytes.count {
      let count = bytes.withUnsafeMutableBytes { [used] in
        read(file, $0.baseAddress! + used, $0.count - used)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw Refusal(text: "\(path): \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      used += count
    }
    start = Array(bytes[..<used])
  }

  func kind(startedBy path: String) throws(Refusal) -> Kind {
    if start.starts(with: [0x23, 0x21]) {
      let line = start.dropFirst(2).prefix { $0 != 0x0A }
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { throw Refusal(text: "\(path) names no interpreter") }
      // `#!/usr/bin/env name` looks the name up.
      let isLookedUp = first.hasSuffix("/env") && words.count > 1 && !words[1].hasPrefix("-")
      return .script(interpreter: String(isLookedUp ? words[1] : first))
    }
    guard let image = ELFImage(start) else {
      throw Refusal(text: "\(path) is neither a 64-bit ELF program nor a script")
    }
    return .image(image)
  }
}
