/// The part of a document that is generated: between two marker lines.
public enum MarkedSection {
  public static let begin = "<!-- benchmark table: begin -->"
  public static let end = "<!-- benchmark table: end -->"

  /// The document with `content` between its markers; `nil` if it does not have
  /// each once and in order.
  public static func replace(in document: String, with content: String) -> String? {
    let head = document.ranges(of: begin)
    let tail = document.ranges(of: end)
    guard head.count == 1, tail.count == 1, head[0].upperBound <= tail[0].lowerBound else {
      return nil
    }
    return document[..<head[0].upperBound] + "\n" + content + "\n" + document[tail[0].lowerBound...]
  }
}
