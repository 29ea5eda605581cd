// QueueReader — reads the records of all queues.
//
// A list is read between two readings of its length, its first record, its sums and its changes.
// All records have the same distance to their objects, so what has another distance is not a
// record.

package struct QueueReader {
  private let memory: TargetMemory
  private let table: EngineTable
  private let record: RecordLayout
  private let list: RecordLayout
  private let item: RecordLayout?
  /// The field of a workloop's further lists; nil if the engine does not describe them.
  private let ordered: RecordLayout?
  private let strings: StringReader
  private let root: (address: UInt64, count: Int)
  private let stride: UInt64
  /// Whether the queues count, and the lists hold the sums of the queues that have ended.
  private let countsAreThere: Bool

  package struct Queues {
    /// By the address of the object.
    var queues: [UInt64: SeenQueue] = [:]
    /// The sums of the queues that have ended; nil if the engine has none.
    var ended: SeenCounts?
    /// Whether a list changed during every attempt, or could not be followed to its end.
    package var isTorn = false
  }

  /// nil if the process has created no queue, or the engine does not describe them.
  package init?(_ table: EngineTable, _ memory: TargetMemory) {
    let fields = ["next", "object", "target", "items", "state", "shape", "label"]
    let ends = ["first", "count"]
    let counting = table.layout("queue", fields + SeenCounts.fields)
    // An older engine does not count changes. The field then reads as 0.
    func lists(_ more: [String]) -> RecordLayout? {
      table.layout("queues", ends + ["changes"] + more) ?? table.layout("queues", ends + more)
    }
    let summing = lists(SeenCounts.fields)
    countsAreThere = counting != nil && summing != nil
    guard let record = countsAreThere ? counting : table.layout("queue", fields),
      let list = countsAreThere ? summing : lists([]),
      let stride = table.constant("queues", "stride"), let root = table.root("queues")
    else { return nil }
    self.memory = memory
    self.table = table
    self.record = record
    self.list = list
    self.root = root
    self.stride = stride
    item = table.layout("item", ["next"])
    ordered = table.layout("queue", ["ordered"])
    strings = StringReader(table, memory)
  }

  package func read() -> Queues {
    var all = Queues(ended: countsAreThere ? SeenCounts() : nil)
    var distance: UInt64?
    for index in 0..<root.count {
      guard !memory.isExhausted, memory.failure == 0 else {
        all.isTorn = true
        break
      }
      read(listAt: root.address &+ stride &* UInt64(index), &distance, into: &all)
    }
    return all
  }

  private func read(listAt address: UInt64, _ distance: inout UInt64?, into all: inout Queues) {
    var longest: [SeenQueue] = []
    for _ in 0..<Limits.attempts {
      guard let before = list.read(at: address, from: memory) else { break }
      let (found, isWhole) = walk(from: before["first"], distance)
      if found.count >= longest.count { longest = found }
      let after = list.read(at: address, from: memory)
      let count = UInt64(found.count)
      let ended = SeenCounts(before, countsAreThere)
      if isWhole, before["changes"] % 2 == 0, after?["changes"] == before["changes"],
        count == before["count"], count == after?["count"],
        after?["first"] == before["first"], after.map({ SeenCounts($0, countsAreThere) }) == ended
      {
        if let ended { all.ended?.add(ended) }
        // The distance is set only now, so that a torn reading does not determine it.
        if let queue = found.first { distance = queue.address &- queue.object }
        for queue in found { all.queues[queue.object] = queue }
        return
      }
    }
    all.isTorn = true
    for queue in longest { all.queues[queue.object] = queue }
  }

  /// - Returns: the queues, and whether the list was followed to its end.
  private func walk(from first: UInt64, _ known: UInt64?) -> ([SeenQueue], Bool) {
    var distance = known
    var queues: [SeenQueue] = []
    var seen: Set<UInt64> = []
    var next = first
    while next != 0 {
      guard seen.count < Limits.queues, seen.insert(next).inserted,
        let record = record.read(at: next, from: memory)
      else { return (queues, false) }
      let object = record["object"]
      guard object != 0, next &- object == distance ?? next &- object else {
        return (queues, false)
      }
      distance = next &- object
      queues.append(queue(record, at: next))
      next = record["next"]
    }
    return (queues, true)
  }

  private func queue(_ record: Record, at address: UInt64) -> SeenQueue {
    SeenQueue(
      address: address, object: record["object"], target: record["target"],
      shape: table.word("shape", for: record["shape"]) ?? "serial",
      label: strings.text(record.word("label", 0), record.word("label", 1)),
      state: SeenQueue.State(record["state"], table), firstItem: record["items"],
      counts: SeenCounts(record, countsAreThere))
  }

  /// The state of the queue as it is now; nil if the record is gone.
  func stateNow(of queue: SeenQueue) -> SeenQueue.State? {
    guard let record = record.read(at: queue.address, from: memory),
      record["object"] == queue.object
    else { return nil }
    return SeenQueue.State(record["state"], table)
  }

  /// How many items a queue's list holds.
  enum Depth: Equatable {
    case count(Int)
    case atLeast(Int)
    /// The items come and go too fast.
    case changing
    /// A limit was reached, or the items cannot be read.
    case unknown

    var hasMore: Bool {
      if case .atLeast = self { return true }
      return false
    }

    var number: Int? {
      switch self {
      case .count(let number), .atLeast(let number): number
      case .changing, .unknown: nil
      }
    }
  }

  /// - Parameter budget: how many more items may be looked at, for all queues together.
  func depth(of queue: SeenQueue, _ budget: inout Int) -> Depth {
    let heads = heads(of: queue)
    for _ in 0..<Limits.attempts {
      // As in `ListLook`: the counts, the first items, the walk, and both again.
      guard let counts = counts(of: queue), let firsts = numbers(at: heads) else { return .unknown }
      let depth = walk(from: firsts, &budget)
      guard let depth else { continue }
      // A limit was reached before the first item, or the items cannot be read.
      if depth == .unknown { return depth }
      if numbers(at: heads) == firsts, self.counts(of: queue) == .some(counts) { return depth }
    }
    return memory.isExhausted || memory.failure != 0 ? .unknown : .changing
  }

  /// nil if a link could not be read.
  private func walk(from firsts: [UInt64], _ budget: inout Int) -> Depth? {
    guard let item else { return .unknown }
    var count = 0
    for first in firsts {
      var next = first
      while next != 0 {
        if count == Limits.itemsInQueue { return .atLeast(count) }
        guard budget > 0 else { return count == 0 ? .unknown : .atLeast(count) }
        budget -= 1
        count += 1
        guard let link = memory.number(at: item.address(of: "next", at: next)) else { return nil }
        next = link
      }
    }
    return .count(count)
  }

  /// Where the first items of the queue's list are, and of a workloop's further lists.
  private func heads(of queue: SeenQueue) -> [UInt64] {
    let own = record.address(of: "items", at: queue.address)
    guard let lists = ordered?.read(at: queue.address, from: memory)?["ordered"], lists != 0,
      let count = table.constant("queues", "ordered count"), count <= Limits.orderedLists,
      let stride = table.constant("queues", "ordered stride")
    else { return [own] }
    return [own] + (0..<count).map { lists &+ $0 &* stride }
  }

  private func numbers(at addresses: [UInt64]) -> [UInt64]? {
    let numbers = addresses.compactMap { memory.number(at: $0) }
    return numbers.count == addresses.count ? numbers : nil
  }

  /// What the queue has counted now, if the engine counts; nil if the record is gone.
  private func counts(of queue: SeenQueue) -> SeenCounts?? {
    record.read(at: queue.address, from: memory).map { SeenCounts($0, countsAreThere) }
  }
}

struct SeenQueue {
  /// The addresses of its record, of the object, and of the target's object.
  let address: UInt64
  let object: UInt64
  let target: UInt64
  let shape: String
  /// nil if the label cannot be read.
  let label: String?
  let state: State
  let firstItem: UInt64
  /// nil if the engine does not count.
  var counts: SeenCounts?

  /// The queue's state word.
  struct State: Equatable {
    let owner: UInt64
    let shared: UInt64
    let isPending: Bool
    let isScheduled: Bool
    let isGated: Bool
    let isInactive: Bool
    let isSuspended: Bool

    init(_ word: UInt64, _ table: EngineTable) {
      func bits(_ name: String) -> UInt64 { word & (table.constant("queue state", name) ?? 0) }
      owner = bits("owner")
      let mask = table.constant("queue state", "shared") ?? 0
      shared = mask == 0 ? 0 : (word & mask) >> UInt64(mask.trailingZeroBitCount)
      isPending = bits("pending") != 0
      isScheduled = bits("scheduled") != 0
      isGated = bits("gated") != 0
      isInactive = bits("inactive") != 0
      isSuspended = bits("suspended") != 0
    }

    var isIdle: Bool { owner == 0 && shared == 0 && !isPending && !isScheduled && !isGated }
    /// Whether the queue is drained only once the target runs its drain task.
    var waitsForTarget: Bool {
      isScheduled && owner == 0 && shared == 0 && !isInactive && !isSuspended
    }
  }

  /// The label in quotation marks.
  var quoted: String { label.map { DisplayText.quoted($0) } ?? "at 0x\(String(object, radix: 16))" }
}
