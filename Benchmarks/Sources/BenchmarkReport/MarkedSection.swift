/// The part of a document that is generated: between two marker lines.
public enum MarkedSection {
  public static let begin = begin(of: "benchmark table")
  public static let end = end(of: "benchmark table")

  /// The marker of the rows of programs that are not rebuilt.
  public static let dropInTable = "drop-in table"

  /// The marker of the table of a machine other than that of the main page.
  public static func table(of machine: Machine) -> String {
    "benchmark table \(machine.fileName.dropLast(".json".count))"
  }

  public static func begin(of name: String) -> String { "<!-- \(name): begin -->" }
  public static func end(of name: String) -> String { "<!-- \(name): end -->" }

  /// The document with `content` between its markers; `nil` if it does not have
  /// each once and in order.
  public static func replace(
    in document: String, with content: String, named name: String = "benchmark table"
  ) -> String? {
    let (begin, end) = (begin(of: name), end(of: name))
    let head = document.ranges(of: begin)
    let tail = document.ranges(of: end)
    guard head.count == 1, tail.count == 1, head[0].upperBound <= tail[0].lowerBound else {
      return nil
    }
    return document[..<head[0].upperBound] + "\n" + content + "\n" + document[tail[0].lowerBound...]
  }
}
