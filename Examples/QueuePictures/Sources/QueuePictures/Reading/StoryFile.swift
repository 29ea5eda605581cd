// StoryFile — a recording in JSON, as the recorder writes it.

import FoundationEssentials

/// The tables of a story: columns of one length, whose numbers are times, places in the lists, or
/// −1 for nothing.
struct StoryFile: Decodable {
  struct Meta: Decodable {
    let duration: Int
    let processors: Int
    let lostEvents: Int
    let notes: [String]
  }
  struct Thread: Decodable {
    let name: Int
    let role: String
  }
  struct Queue: Decodable {
    let label: Int
    let kind: String
  }
  struct Object: Decodable {
    let kind: String
    let name: Int
  }
  struct Items: Decodable {
    let queue, submitted, started, finished, submitter, runner, flags, switches, preempted: [Int]
  }
  struct Waits: Decodable {
    let thread, began, ended, object, queue, reason, item: [Int]
  }
  struct Steps: Decodable {
    let thread, at, step: [Int]
  }
  struct Passes: Decodable {
    let thread, began, ended: [Int]
  }
  struct Marks: Decodable {
    let thread, at, text: [Int]
  }

  let meta: Meta
  let strings: [String]
  let threads: [Thread]
  let queues: [Queue]
  let objects: [Object]
  let items: Items
  let waits: Waits
  let steps: Steps
  let passes: Passes
  let marks: Marks

  init(json: [UInt8]) throws {
    self = try JSONDecoder().decode(StoryFile.self, from: Data(json))
  }
}
