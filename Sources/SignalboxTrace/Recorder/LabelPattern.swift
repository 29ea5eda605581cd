// LabelPattern — a pattern for queue labels, in which `*` matches any text.

/// A pattern for labels: `*` matches any text, every other character matches
/// itself.
struct LabelPattern: Sendable, Hashable {
  private let parts: [[UInt8]]

  init(_ text: String) {
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// Takes O(label × pattern) in the worst case.
  func matches(_ label: String) -> Bool {
    var rest = Array(label.utf8)[...]
    guard let first = parts.first, let last = parts.last, rest.starts(with: first) else {
      return false
    }
    if parts.count == 1 { return rest.count == first.count }
    rest = rest.dropFirst(first.count)
    guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else {
      return false
    }
    rest = rest.dropLast(last.count)
    // The first match of a part leaves the most text for the remaining parts.
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let end = LabelPattern.end(of: part, in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  private static func end(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
    var start = text.startIndex
    while text.endIndex - start >= part.count {
      if text[start...].starts(with: part) { return start + part.count }
      start += 1
    }
    return nil
  }
}
