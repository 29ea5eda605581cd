// StoryLane — what one thread is in the midst of, while its events are gone through.

/// What has begun on a thread and not ended.
struct StoryLane {
  struct Item {
    /// `none` for what is not told of.
    let index: TraceStory.Index
    let queue: UInt64
    /// 0 for the closure of a `sync`.
    let address: UInt64
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

  let number: UInt32
  var thread: TraceStory.Index = TraceStory.none
  /// The names' generation of `thread`.
  var generation = -1
  /// Outermost first.
  var items: [Item] = []
  var waits: [Wait] = []
  var loops: [Loop] = []
  var holds: [Hold] = []
  var parkedSince: UInt64?

  init(number: UInt32) { self.number = number }

  /// The item that runs, of those that are told of.
  var item: TraceStory.Index { items.last { $0.index >= 0 }?.index ?? TraceStory.none }
}
