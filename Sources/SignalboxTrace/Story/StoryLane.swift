// StoryLane — what one thread is in the midst of, while its events are gone through.

/// What has begun on a thread and not ended.
struct StoryLane {
  struct Item {
    /// `none` for what is not told of.
    let index: TraceStory.Index
    /// The innermost item that is told of, this one included.
    let told: TraceStory.Index
    let queue: UInt64
    /// 0 for the closure of a `sync`.
    let address: UInt64
    /// The class of service at which it runs: for a `sync`, that of the item it is in.
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
    /// Who held the object: the class of what it ran, and that itself.
    var otherRank: TraceStory.Rank = 0
    var other = TraceStory.none
    var place = TraceStory.none
  }

  /// A run of a loop, and when its present pass began, if it has.
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
  /// The names' generation of `thread`.
  var generation = -1
  /// Outermost first.
  var items: [Item] = []
  var waits: [Wait] = []
  var loops: [Loop] = []
  var holds: [Hold] = []
  var drains: [Drain] = []
  var calls: [Call] = []
  var parkedSince: UInt64?
  /// What it did last that may be told a place: an item's submission, a wait's end.
  var lastSubmitted = TraceStory.none
  var lastWait = TraceStory.none

  init(number: UInt32) { self.number = number }

  /// The class of service of what runs.
  var rank: TraceStory.Rank { items.last?.rank ?? 0 }

  /// The item that runs, of those that are told of.
  var item: TraceStory.Index { items.last?.told ?? TraceStory.none }

  mutating func begin(
    _ index: TraceStory.Index, queue: UInt64, address: UInt64, _ rank: TraceStory.Rank
  ) {
    items.append(
      Item(
        index: index, told: index >= 0 ? index : item, queue: queue, address: address, rank: rank))
  }

  /// How many of what has begun and not ended are looked at for what ends. That is mostly the last
  /// of them; a damaged recording may have any number, and would have all looked at for each end.
  static let deepest = 256
}
