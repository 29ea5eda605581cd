// StoryLane — what is in progress on one thread while the builder goes through
// its events.

/// The spans that have begun on a thread and not ended.
final class StoryLane {
  struct Item {
    /// The item's index, or `none` if the story omits the item.
    let index: TraceStory.Index
    /// The innermost item in the story, including this one.
    let told: TraceStory.Index
    let queue: UInt64
    /// 0 for the closure of a `sync`.
    let address: UInt64
    /// The QoS class at which it runs. A `sync` closure has that of the
    /// surrounding item.
    var rank: TraceStory.Rank = 0
  }

  struct Wait {
    let began: UInt64
    let id: UInt64
    let isQueue: Bool
    let object: TraceStory.Index
    let queue: TraceStory.Index
    let reason: TraceStory.Index
    let owner: TraceStory.Index
    let item: TraceStory.Index
    let rank: TraceStory.Rank
    /// What the object's holder ran: its QoS class and the item.
    var otherRank: TraceStory.Rank = 0
    var other = TraceStory.none
    var place = TraceStory.none
  }

  /// A run of a loop, and when its current pass began, if one did.
  struct Loop {
    let id: UInt64
    let object: TraceStory.Index
    var passBegan: UInt64?
  }

  struct Hold {
    let id: UInt64
    let object: TraceStory.Index
    let taken: UInt64
  }

  struct Drain {
    let queue: UInt64
    let began: UInt64
  }

  /// A call of `concurrentPerform`.
  struct Call {
    let iterations: UInt64
    let began: UInt64
    let item: TraceStory.Index
  }

  let number: UInt32
  var thread: TraceStory.Index = TraceStory.none
  /// The generation of names in which `thread` was looked up.
  var generation = -1
  /// Outermost first.
  var items: [Item] = []
  var waits: [Wait] = []
  var loops: [Loop] = []
  var holds: [Hold] = []
  var drains: [Drain] = []
  var calls: [Call] = []
  var parkedSince: UInt64?
  /// Whether the thread has no event yet, and has lost none.
  var isUnseen = true
  /// The latest submission and the latest wait, to which a place may still be
  /// assigned.
  var lastSubmitted = TraceStory.none
  var lastWait = TraceStory.none

  init(number: UInt32) { self.number = number }

  /// The QoS class of the running item.
  var rank: TraceStory.Rank { items.last?.rank ?? 0 }

  /// The innermost running item that the story contains.
  var item: TraceStory.Index { items.last?.told ?? TraceStory.none }

  func begin(
    _ index: TraceStory.Index, queue: UInt64, address: UInt64, _ rank: TraceStory.Rank
  ) {
    items.append(
      Item(
        index: index, told: index >= 0 ? index : item, queue: queue, address: address, rank: rank))
  }

  /// How many spans in progress are searched for the one that ends. It is
  /// usually the last one, but a damaged recording may leave any number of them
  /// open, and a full search would then be slow for each end.
  static let deepest = 256
}
