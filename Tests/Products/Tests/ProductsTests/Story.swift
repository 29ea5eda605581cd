// Story — a recording as other programs read it.

import Foundation
import Testing

struct Story {
  private let root: [String: Any]

  init(_ json: Data) throws {
    root = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(root["format"] as? String == "signalbox-story")
  }

  /// Reads the recording that a page contains.
  init(page: String) throws {
    let begin = try #require(page.range(of: #"<script id="story" type="application/json">"#))
    let end = try #require(page.range(of: "</script>", range: begin.upperBound..<page.endIndex))
    try self.init(Data(page[begin.upperBound..<end.lowerBound].utf8))
  }

  var program: String? { (root["meta"] as? [String: Any])?["program"] as? String }
  var lostEvents: Int? { (root["meta"] as? [String: Any])?["lostEvents"] as? Int }

  var queues: [String] { texts("queues", "label") }
  var threads: [String] { texts("threads", "name") }
  var objects: [String] { texts("objects", "name") }

  /// The numbers of the queue's items, in the order of submission.
  func items(of label: String) -> [Int] {
    guard let queue = queues.firstIndex(of: label) else { return [] }
    return column("items", "queue").indices.filter { column("items", "queue")[$0] == queue }
  }

  func column(_ table: String, _ name: String) -> [Int] {
    (root[table] as? [String: Any])?[name] as? [Int] ?? []
  }

  private func texts(_ list: String, _ name: String) -> [String] {
    let strings = root["strings"] as? [String] ?? []
    return (root[list] as? [[String: Any]] ?? []).compactMap { entry in
      (entry[name] as? Int).flatMap { strings.indices.contains($0) ? strings[$0] : nil }
    }
  }
}
