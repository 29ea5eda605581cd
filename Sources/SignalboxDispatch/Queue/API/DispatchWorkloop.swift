// DispatchWorkloop — a serial queue that runs the more urgent item first.
//
// Items enter its list as they enter any queue's list. Before each item, the owner moves new items
// into `ordered` and then runs the first item of the most urgent class there.
//
// Touching    `ordered`: the owner by `state`.

import SignalboxRuntime

/// A queue that runs one item at a time, the most urgent first.
///
/// Before each item, the workloop looks at the items that were submitted to it, or to queues that
/// target it, since it last looked. Items of one class run in order of submission; items of a more
/// urgent class overtake them. The class of an item is the one it was submitted with, or that of
/// the queue through which it arrives.
///
/// ```swift
/// let loop = DispatchWorkloop(label: "com.example.loop")
/// let urgent = DispatchQueue(label: "com.example.urgent", qos: .userInitiated, target: loop)
/// ```
///
/// A workloop cannot have a target.
///
/// A call of `sync` takes its turn by the class of the item that the calling thread runs, or of the
/// thread itself if it runs none, but at least by the default class.
///
/// *Differences*: it cannot be an actor's executor, and it has no work groups, because Linux has
/// none.
///
/// Source: Apple's documentation of `DispatchWorkloop`.
public final class DispatchWorkloop: DispatchQueue, @unchecked Sendable {  // SAFETY: see Touching.
  let ordered = OrderedItems()

  /// Options for creating a workloop.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The workloop starts nothing before you call `activate()`.
    public static var initiallyInactive: Attributes { Self(rawValue: 1 << 2) }
  }

  /// Creates a workloop.
  ///
  /// - Parameters:
  ///   - label: a name for reports.
  ///   - attributes: `.initiallyInactive`, or empty for a workloop that is active at once.
  ///   - autoreleaseFrequency: has no effect, because Linux has no autorelease pools.
  public init(
    label: String, attributes: DispatchWorkloop.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem
  ) {
    let all = DispatchQueue.Attributes(rawValue: attributes.rawValue)
    all.checkKnown(label, among: .initiallyInactive)
    super.init(
      shape: .workloop, label: label, qos: .unspecified,
      inactive: all.contains(.initiallyInactive), target: nil, ordered: ordered.address)
  }

  deinit {
    // Do this before `ordered` is freed, because a report may read it until then.
    QueueRegistry.shared.remove(self)
  }

  /// Has no effect, because Linux has no autorelease pools. It traps once the workloop is active.
  ///
  /// Source: Apple's documentation of `dispatch_workloop_set_autorelease_frequency`.
  public func setAutoreleaseFrequency(_ frequency: DispatchQueue.AutoreleaseFrequency) {
    guard state.snapshot.isInactive else {
      clientBug(
        "setAutoreleaseFrequency on the workloop \(quotedLabel), which is active: make it "
          + ".initiallyInactive, and activate() it afterwards.")
    }
  }
}

extension DispatchQueue {
  /// The queue as a workloop, if it is one.
  @inline(__always)
  final var workloop: DispatchWorkloop? {
    // SAFETY: the shape says that it is a workloop.
    shape == .workloop ? unsafeDowncast(self, to: DispatchWorkloop.self) : nil
  }
}

/// The loops of `DispatchQueue+Drain` with two differences: the first item may change before each
/// step, and a thread that waits runs only its own work.
extension DispatchWorkloop {
  final func drainInOrder() {
    var slice = TimeSlice()
    while let item = firstInOrder() {
      if state.ownersSnapshot.isHalted { return leave() }
      if item.pointee.flags.contains(.waiter) { return grantInOrder(item) }
      if slice.isOfAnotherTier(than: self) { return yieldThread() }
      takeOut(item)
      list.counts.countRun()
      slice.runs &+= 1
      run(item)
      if slice.isOver(on: self) { return yieldThread() }
    }
  }

  final func handOffInOrder() {
    guard let item = firstInOrder() else { return }
    if state.ownersSnapshot.isHalted || !item.pointee.flags.contains(.waiter) { return leave() }
    grantInOrder(item)
  }

  final func advanceInOrder(_ thread: UInt32, to own: ItemPointer) -> Bool {
    guard let item = firstInOrder() else { return false }
    guard item == own, !state.ownersSnapshot.isHalted else {
      leave()
      return false
    }
    take(item, for: thread)
    return true
  }

  /// The next item to run. If there is none, this thread no longer owns the workloop.
  private func firstInOrder() -> ItemPointer? {
    while true {
      moveItems()
      if let item = ordered.first() { return item }
      if state.finish() { return nil }
    }
  }

  private func grantInOrder(_ item: ItemPointer) {
    take(item, for: SyncWaiter.thread(of: item))
    SyncWaiter.wake(item)
  }

  /// Moves newly submitted items into `ordered`. Urgent items stay counted in `level` until they
  /// are removed from `ordered`.
  private func moveItems() {
    while let item = list.first() {
      list.removeFirst(item)
      ordered.append(item, baseLevel: baseLevel)
    }
  }

  private func takeOut(_ item: ItemPointer) {
    if item.pointee.flags.contains(.urgent) { level.removeUrgent() }
    ordered.removeFirst(item)
  }

  /// Makes the thread that waits as `item` the owner.
  private func take(_ item: ItemPointer, for thread: UInt32) {
    takeOut(item)
    list.counts.countWait()
    state.grant(to: thread, more: ordered.first() != nil)
  }
}
