// ItemListModel — the model of `SignalboxRuntime/Pool/ItemList.swift`.
//
// Items are numbered from 1; 0 is nil. An item's link is mortal and its contents are plain, so
// the model checks its lifetime too: the thread that removes an item may free it.

enum ItemListSite: Site {
  case exchangeTail, linkNext, storeHead
  case loadHead, loadNext, loadNextLate
  /// A look at a link by a counting consumer.
  case countNext
  case emptyTail

  var access: Access {
    switch self {
    case .exchangeTail, .emptyTail: .update
    case .linkNext, .storeHead: .store
    case .loadHead, .loadNext, .loadNextLate, .countNext: .load
    }
  }

  var ordering: Ordering {
    switch self {
    case .exchangeTail, .emptyTail: .acquireRelease
    case .linkNext, .storeHead: .release
    case .loadHead, .loadNext, .loadNextLate, .countNext: .acquire
    }
  }

  var operations: [String] {
    switch self {
    case .exchangeTail: ["Pool/ItemList.append:IL1+QL1+IB1"]
    case .linkNext: ["Pool/ItemList.append:IL2"]
    case .storeHead: ["Pool/ItemList.append:IL2.2"]
    case .loadHead: ["Pool/ItemList.first:IL2"]
    case .loadNext: ["Pool/ItemList.removeFirst:IL2"]
    case .loadNextLate: ["Pool/ItemList.removeBeforeLink:IL2"]
    case .countNext:
      ["Pool/ItemList.count:IL2", "Deadlock/ItemList+Standing.containsStanding:IL2"]
    case .emptyTail: ["Pool/ItemList.removeLast:IL1+IL3"]
    }
  }
}

struct ItemListModel: Sendable {
  /// The link's value before the item is appended. A thread must never follow it.
  static let garbage = 99

  let tail: Atomic
  let head: Atomic
  let next: [Atomic]
  let contents: [Plain]
  let orderings: Orderings<ItemListSite>

  init(
    _ p: inout Program, named name: String = "", items: Int,
    _ orderings: Orderings<ItemListSite>
  ) {
    tail = p.atomic("\(name)tail")
    head = p.atomic("\(name)head")
    next = (1...items).map { p.atomic("\(name)item \($0)'s next", Self.garbage, isMortal: true) }
    contents = (1...items).map { p.plain("\(name)item \($0)'s contents") }
    self.orderings = orderings
  }

  /// Fills the item and appends it. Returns whether the list was empty.
  func append(_ item: Int, _ t: ModelThread) throws -> Bool {
    try t.write(item * 10, to: contents[item - 1])
    try t.store(0, to: next[item - 1], .relaxed)
    let previous = try t.exchange(tail, item, orderings[.exchangeTail])
    if previous != 0 {
      try t.store(item, to: next[previous - 1], orderings[.linkNext])
      return false
    }
    try t.store(item, to: head, orderings[.storeHead])
    return true
  }

  /// Whether every appended item has been removed. Any thread may call it.
  func isEmpty(_ t: ModelThread, _ ordering: Ordering) throws -> Bool {
    try t.load(tail, ordering) == 0
  }

  /// The oldest item, or 0. Consumer only.
  func first(_ t: ModelThread) throws -> Int {
    try t.load(head, orderings[.loadHead])
  }

  /// Follows all links. Consumer only.
  func count(_ t: ModelThread) throws {
    var item = try first(t)
    while item != 0 {
      item = try t.load(next[item - 1], orderings[.countNext])
      try t.require(item != Self.garbage, "a link is followed before it is set")
    }
  }

  /// Removes `item`. Consumer only.
  @discardableResult
  func removeFirst(_ item: Int, _ t: ModelThread) throws -> Int {
    let next = try t.load(next[item - 1], orderings[.loadNext])
    if next != 0 {
      try t.store(next, to: head, .relaxed)
      return next
    }
    try t.store(0, to: head, .relaxed)
    if try t.compareExchange(
      tail, expected: item, desired: 0, orderings[.emptyTail], failure: .relaxed
    ).exchanged {
      return 0
    }
    let late = try t.await(self.next[item - 1], .notEqual(0), orderings[.loadNextLate])
    try t.store(late, to: head, .relaxed)
    return late
  }

  /// Uses a removed item and frees it.
  func run(_ item: Int, _ t: ModelThread) throws {
    let found = try t.read(contents[item - 1])
    try t.require(found == item * 10, "item \(item) holds \(found)")
    try t.write(0, to: contents[item - 1])
    try t.free(next[item - 1])
  }
}
