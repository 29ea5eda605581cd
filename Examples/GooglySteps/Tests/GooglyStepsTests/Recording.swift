// Recording — what a recorded run says of the items of its queues.

import FoundationEssentials

/// The recording in JSON, as far as these tests read it.
struct Recording: Decodable {
  struct Queue: Decodable {
    let label: Int
    let kind: String
  }
  struct Items: Decodable {
    let queue, submitted, within, started, finished, flags: [Int]
  }
  let strings: [String]
  let queues: [Queue]
  let items: Items

  struct Item: Hashable {
    let number: Int
    let queue: String
    let submitted: Int
    /// The number of the item that submitted it, or -1.
    let within: Int
    let started: Int
    /// That of an item which the program's exit has cut off: never.
    let finished: Int
    let isBarrier: Bool

    var hasFinished: Bool { finished != Int.max }

    /// In milliseconds.
    var length: Int { hasFinished ? (finished - started) / 1_000_000 : 0 }

    func isSubmitted(withinOneOf others: [Item]) -> Bool {
      others.contains { $0.number == within }
    }

    func overlaps(_ other: Item) -> Bool {
      started < other.finished && other.started < finished
    }
  }

  init(_ text: String) throws {
    self = try JSONDecoder().decode(Recording.self, from: Data(text.utf8))
  }

  /// The items that have begun, of the queues with this label.
  func items(of label: String) -> [Item] {
    items.queue.indices.compactMap { place in
      guard items.queue[place] >= 0, items.started[place] >= 0 else { return nil }
      let item = Item(
        number: place, queue: strings[queues[items.queue[place]].label],
        submitted: items.submitted[place], within: items.within[place],
        started: items.started[place],
        finished: items.finished[place] < 0 ? Int.max : items.finished[place],
        isBarrier: items.flags[place] & 1 != 0)
      return item.queue == label ? item : nil
    }
  }
}
