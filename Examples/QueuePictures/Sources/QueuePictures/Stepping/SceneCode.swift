// SceneCode — the code of a scene, as it stands in its source, and the line that each event is at.
//
// The parts that a scene consists of stand between `// code: NAME…` and `// end`.

import Glibc

struct SceneCode: Sendable {
  /// Without their common indentation; an empty one between two parts.
  let lines: [String]

  struct NoCode: Error, CustomStringConvertible {
    let scene: String
    var description: String {
      "the sources have no `// code: \(scene)`; they are looked for in \(SceneCode.folder)"
    }
  }

  /// Of the sources that this program was built from.
  static func of(_ scene: String) throws -> SceneCode {
    var lines: [String] = []
    for file in files {
      let text = String(decoding: try Output.read("\(folder)/\(file)"), as: UTF8.self)
      lines += parts(text, of: scene).flatMap { [""] + $0 }
    }
    guard !lines.isEmpty else { throw NoCode(scene: scene) }
    return SceneCode(lines: Array(lines.dropFirst()))
  }

  private static let folder: String = {
    let stepping = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(stepping)/Scenes"
  }()

  /// What the scenes share comes last.
  private static let files = [
    "Scene+Async", "Scene+Classes", "Scene+Concurrency", "Scene+Figures", "Scene+Livelock",
    "Scene+Lock", "Scene+RunLoop", "Scene+Sync", "WalkThrough",
  ].map { "\($0).swift" }

  static func parts(_ text: String, of scene: String) -> [[String]] {
    var parts: [[String]] = []
    var open: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(separator: " ")
      if words.prefix(2) == ["//", "code:"] {
        open = words.dropFirst(2).contains { $0 == scene } ? [] : nil
      } else if words == ["//", "end"] {
        if let part = open { parts.append(withoutIndentation(part)) }
        open = nil
      } else {
        open?.append(String(line))
      }
    }
    return parts
  }

  private static func withoutIndentation(_ lines: [String]) -> [String] {
    let least = lines.filter { !$0.isEmpty }.map(indentation).min() ?? 0
    return lines.map { String($0.dropFirst(least)) }
  }

  private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}

// MARK: Lines of events

extension SceneCode {
  /// The place of an event in the code.
  ///
  /// - Parameters:
  ///   - previous: what its thread did before; nil at its beginning.
  ///   - current: the line of that.
  /// - Returns: nil where the code does not say.
  func line(of event: RecordedEvent, after previous: RecordedEvent?, at current: Int?) -> Int? {
    switch event.kind {
    case .marks: mark(event.subject)
    case .submits, .calls: submission(of: event.subject)
    case .starts: mark(event.subject).flatMap(opening)
    case .finishes: mark(event.subject).flatMap(closing)
    case .waits: lock(in: event.subject) ?? wait(after: previous, at: current) ?? current
    case .goesOn: current
    case .tells, .works: lines.firstIndex { $0.contains("CFRunLoopRunInMode(") }
    }
  }

  /// The line that makes a mark: by its text; with parts that are put in; by a variable.
  func mark(_ text: String) -> Int? {
    let calls = lines.indices.filter { lines[$0].contains("TraceRecorder.mark(") }
    if let exact = calls.first(where: { lines[$0].contains("\"\(text)\"") }) { return exact }
    let filled = calls.compactMap { place in
      SceneCode.literal(lines[place]).flatMap { literal in
        SceneCode.fits(literal, text).map { (place: place, length: $0) }
      }
    }
    if let best = filled.max(by: { $0.length < $1.length }) { return best.place }
    return calls.first { !lines[$0].contains("\"") }
  }

  /// What stands in quotes, with `\(…)` for what is put in.
  private static func literal(_ line: String) -> String? {
    guard let first = line.firstIndex(of: "\""), let last = line.lastIndex(of: "\""), first < last
    else { return nil }
    return String(line[line.index(after: first)..<last])
  }

  /// How many letters of `text` the literal gives itself; nil if it cannot become this text.
  static func fits(_ literal: String, _ text: String) -> Int? {
    let pieces = SceneCode.pieces(literal)
    guard pieces.count > 1, let first = pieces.first, let last = pieces.last else { return nil }
    var rest = text[...]
    guard rest.hasPrefix(first) else { return nil }
    rest.removeFirst(first.count)
    guard rest.hasSuffix(last) else { return nil }
    rest.removeLast(last.count)
    for piece in pieces.dropFirst().dropLast() {
      guard let found = rest.firstRange(of: piece) else { return nil }
      rest = rest[found.upperBound...]
    }
    return pieces.map(\.count).reduce(0, +)
  }

  /// What stands between the parts that are put in.
  private static func pieces(_ literal: String) -> [String] {
    var pieces = [""]
    var depth = 0
    var previous: Character = " "
    for letter in literal {
      if depth == 0, previous == "\\", letter == "(" {
        pieces[pieces.count - 1].removeLast()
        pieces.append("")
        depth = 1
      } else if depth > 0 {
        depth += letter == "(" ? 1 : letter == ")" ? -1 : 0
      } else {
        pieces[pieces.count - 1].append(letter)
      }
      previous = letter
    }
    return pieces
  }

  /// The line that submits an item: that which opens its closure, or calls the function whose
  /// body it is.
  private func submission(of name: String) -> Int? {
    guard let open = mark(name).flatMap(opening) else { return nil }
    guard let range = lines[open].firstRange(of: "func ") else { return open }
    let function = lines[open][range.upperBound...].prefix { $0 != "(" }
    let calls = lines.indices.filter {
      lines[$0].contains("sync") && lines[$0].contains("\(function)(")
    }
    return calls.first { lines[$0].contains("\"\(name)\"") } ?? calls.first
  }

  private func opening(_ line: Int) -> Int? {
    lines[..<line].lastIndex { !$0.isEmpty && indentation($0) < indentation(lines[line]) }
  }

  private func closing(_ line: Int) -> Int? {
    lines[line...].firstIndex { !$0.isEmpty && indentation($0) < indentation(lines[line]) }
  }

  /// The line that takes the lock which has this name in the program, too.
  private func lock(in words: String) -> Int? {
    let name = words.split(separator: "\"").dropFirst().first ?? ""
    return name.isEmpty ? nil : lines.firstIndex { $0.contains("\(name).lock()") }
  }

  private func wait(after previous: RecordedEvent?, at current: Int?) -> Int? {
    guard let current else { return nil }
    switch previous?.kind {
    // Who has submitted something is behind its closure, not in it.
    case .submits: return wait(behind(current))
    // This wait is over.
    case .goesOn: return wait(min(current + 1, lines.count - 1))
    default: return wait(current)
    }
  }

  /// The end of the closure that opens at `line`, if one does.
  private func behind(_ line: Int) -> Int {
    guard lines[line].contains("{"), !lines[line].hasSuffix("}") else { return line }
    return lines[(line + 1)...].firstIndex {
      !$0.isEmpty && indentation($0) <= indentation(lines[line])
    } ?? line
  }

  /// Where a thread that is at `line` waits next: in the closure, or at the beginning of its loop.
  private func wait(_ line: Int) -> Int? {
    let isOpening = lines[line].hasSuffix("{")
    let end = isOpening ? lines.endIndex : closing(line) ?? lines.endIndex
    let start = isOpening ? line : opening(line) ?? line
    return lines[line..<end].firstIndex(where: SceneCode.waits)
      ?? lines[start..<line].firstIndex(where: SceneCode.waits)
  }

  private static func waits(_ line: String) -> Bool {
    [".wait()", ".lock()", ".withLock", ".sync {"].contains { line.contains($0) }
  }

  private func indentation(_ line: String) -> Int { SceneCode.indentation(line) }
}
