// ThreadProgress — what is in progress on one thread while the builder goes through
// its events.

/// The spans that have begun on a thread and not ended.
final class ThreadProgress {
  struct Item {
    /// The item's index, or `none` if the trace omits the item.
    let index: TraceModel.Index
    /// The innermost item in the trace, including this one.
    let innermost: TraceModel.Index
    let queue: UInt64
    /// 0 for the closure of a `sync`.
    let address: UInt64
    /// The QoS class at which it runs. A `sync` closure has that of the
    /// surrounding item.
    var rank: TraceModel.Rank = 0
  }

  struct Wait {
    let began: UInt64
    let id: UInt64
    let isQueue: Bool
    let object: TraceModel.Index
    let queue: TraceModel.Index
    let reason: TraceModel.Index
    let owner: TraceModel.Index
    let item: TraceModel.Index
    let rank: TraceModel.Rank
    /// The work of the object's holder: its QoS class and its item.
    var otherRank: TraceModel.Rank = 0
    var other = TraceModel.none
    var place = TraceModel.none
  }

  /// A run of a loop, and when its current pass began, if one did.
  struct Loop {
    let id: UInt64
    let object: TraceModel.Index
    var passBegan: UInt64?
  }

  struct Hold {
    let id: UInt64
    let object: TraceModel.Index
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
    let item: TraceModel.Index
  }

  let number: UInt32
  var thread: TraceModel.Index = TraceModel.none
  /// The generation of names in which `thread` was looked up.
  var generation = -1
  /// Outermost first.
  var items: [Item] = []
  var waits: [Wait] = []
  var loops: [Loop] = []
  var holds: [Hold] = []
  var drains: [Drain] = []
  var calls: [Call] = []
  /// The rows of the scoped intervals.
  var intervals: [Int] = []
  var parkedSince: UInt64?
  /// Whether the thread has no event yet, and has lost none.
  var isUnseen = true
  /// The latest submission and the latest wait, to which a place may still be
  /// assigned.
  var lastSubmitted = TraceModel.none
  var lastWait = TraceModel.none

  init(number: UInt32) { self.number = number }

  /// The QoS class of the running item.
  var rank: TraceModel.Rank { items.last?.rank ?? 0 }

  /// The innermost running item that the trace contains.
  var item: TraceModel.Index { items.last?.innermost ?? TraceModel.none }

  func begin(
    _ index: TraceModel.Index, queue: UInt64, address: UInt64, _ rank: TraceModel.Rank
  ) {
    items.append(
      Item(
        index: index, innermost: index >= 0 ? index : item, queue: queue, address: address,
        rank: rank))
  }

  /// How many spans in progress are searched for the one that ends. It is
  /// usually the last one, but a damaged recording may leave any number of them
  /// open, and a full search would then be slow for each end.
  static let deepest = 256
}
