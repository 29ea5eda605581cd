// HTTPRequestHead — as much of HTTP as serving one page takes.
//
// Sources     RFC 9112, "HTTP/1.1", sections 2.2, 3 and 3.2.

package struct HTTPRequestHead {
  package let method: String
  package let path: String

  /// The most bytes that a request may have.
  package static let limit = 8192

  /// Where the head ends in what has arrived; nil if it is not complete.
  package static func end(in bytes: [UInt8]) -> Int? {
    let newline = UInt8(ascii: "\n")
    var previous: Int?
    for (index, byte) in bytes.enumerated() where byte == newline {
      if let previous, bytes[(previous + 1)..<index].allSatisfy({ $0 == UInt8(ascii: "\r") }) {
        return index + 1
      }
      previous = index
    }
    return nil
  }

  /// nil if the bytes are not an HTTP/1.0 or HTTP/1.1 request.
  package init?(_ bytes: some Collection<UInt8>) {
    // Visible characters, spaces and the ends of lines.
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0D || $0 == 0x0A || $0 == 0x09 })
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let first = lines.first else { return nil }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0",
      !words[0].isEmpty, words[0].allSatisfy({ $0.isASCII && $0.isLetter }),
      let path = HTTPRequestHead.path(of: words[1])
    else { return nil }
    var hosts = 0
    for line in lines.dropFirst() where !line.isEmpty {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
        !line[..<colon].contains(where: \.isWhitespace)
      else { return nil }
      if line[..<colon].lowercased() == "host" { hosts += 1 }
    }
    if hosts > 1 || (hosts == 0 && words[2] == "HTTP/1.1") { return nil }
    method = String(words[0])
    self.path = path
  }

  /// The path of a target such as "/metrics?x" or "http://host/metrics", without the query.
  private static func path(of target: Substring) -> String? {
    var path = target
    if path.lowercased().hasPrefix("http://") {
      let rest = path.dropFirst(7)
      path = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    }
    path = path.prefix { $0 != "?" && $0 != "#" }
    return path.hasPrefix("/") ? String(path) : nil
  }
}
