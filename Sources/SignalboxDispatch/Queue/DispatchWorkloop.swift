// DispatchWorkloop — a serial queue that takes the more urgent item first.
//
// Items are submitted to its list as to any queue's. Its owner moves what has
// come into `ordered` before each item and runs the first of the most urgent
// class there.
//
// Touching    `ordered`: the owner by `state`.

import SignalboxRuntime
import Synchronization

/// A queue that runs one item at a time, the most urgent first.
///
/// Before each item it looks at what was submitted meanwhile, to itself or to the
/// queues that target it. Items of one class run in the order of their submission;
/// those of another class may overtake them. An item's class is the one that it was
/// submitted with, or that of the queue through which it comes.
///
/// ```swift
/// let loop = DispatchWorkloop(label: "com.example.loop")
/// let urgent = DispatchQueue(label: "com.example.urgent", qos: .userInitiated, target: loop)
/// ```
///
/// It cannot have a target itself.
///
/// A thread that waits in `sync` is as urgent as the item it runs, and at least of the
/// class default.
///
/// *Differences*: it is no actor's executor, and takes no work group
/// of an operating system that has none.
///
/// Source: Apple's documentation of `DispatchWorkloop`.
public final class DispatchWorkloop: DispatchQueue, @unchecked Sendable {  // SAFETY: see Touching.
  /// Never changes. A variable has an address, which reports need; see `QueueGlance`.
  @exclusivity(unchecked) private(set) var ordered = OrderedItems()

  /// Where in a workloop that stands, in bytes from its address; 0 before there is one.
  static let orderedPlace = Atomic<Int>(0)

  /// What can be asked of a workloop when it is made.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Nothing starts before `activate()`.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// Makes a workloop.
  ///
  /// - Parameters:
  ///   - label: a name for reports.
  ///   - attributes: `.initiallyInactive`; without it active.
  ///   - autoreleaseFrequency: accepted, without effect: there are no pools.
  public init(
    label: String, attributes: DispatchWorkloop.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem
  ) {
    let all = DispatchQueue.Attributes(rawValue: attributes.rawValue)
    all.checkKnown(label, among: .initiallyInactive)
    super.init(
      shape: .workloop, label: label, qos: .unspecified,
      inactive: all.contains(.initiallyInactive), target: nil)
    // order: relaxed; the same in each.
    if DispatchWorkloop.orderedPlace.load(ordering: .relaxed) == 0 { noteOrderedPlace() }
  }

  private func noteOrderedPlace() {
    let start = address
    let place = withUnsafePointer(to: &ordered) { UnsafeRawPointer($0) - start }
    DispatchWorkloop.orderedPlace.store(place, ordering: .relaxed)  // order: relaxed; as above.
  }

  /// For a report: where the lists of its items in order stand; 0 while none is known.
  static func ordered(in workloop: UnsafeRawPointer) -> UInt {
    // order: relaxed; as above.
    let place = orderedPlace.load(ordering: .relaxed)
    if place == 0 { return 0 }
    // SAFETY: a workloop is in the list of queues as long as this is there.
    return (workloop + place).assumingMemoryBound(to: OrderedItems.self).pointee.address
  }

  deinit {
    // Before `ordered` is gone, at which a report may look.
    QueueRegistry.shared.remove(self)
  }

  /// Accepted, without effect: there are no pools. Only before the workloop is
  /// activated: afterwards it traps.
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
    // SAFETY: the shape says so.
    shape == .workloop ? unsafeDowncast(self, to: DispatchWorkloop.self) : nil
  }
}

/// The loops of `DispatchQueue+Drain`, with two differences: what comes first changes with each
/// item, and a thread that waits runs nothing but its own work.
extension DispatchWorkloop {
  final func drainInOrder() {
    var slice = TimeSlice()
    while let item = firstInOrder() {
      if state.ownersSnapshot.isHalted { return leave() }
      if item.pointee.flags.contains(.waiter) { return grantInOrder(item) }
      if slice.isOfAnotherTier(than: self) { return giveWay() }
      takeOut(item)
      slice.runs &+= 1
      let before = Fork.count
      run(item)
      // In a forked child what came after it is the parent's.
      if Fork.count != before { ordered.abandon() }
      if slice.isOver(on: self) { return giveWay() }
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

  /// The item that is to run next. If there is none, this thread does not own the workloop any
  /// more.
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

  /// What was submitted since. The urgent ones count until they are taken out of
  /// `ordered`.
  private func moveItems() {
    while let item = list.first() {
      list.removeFirst(item)
      ordered.append(item, rest: rest)
    }
  }

  private func takeOut(_ item: ItemPointer) {
    if item.pointee.flags.contains(.urgent) { level.removeUrgent() }
    ordered.removeFirst(item)
  }

  /// The thread behind `item` is the owner now.
  private func take(_ item: ItemPointer, for thread: UInt32) {
    takeOut(item)
    state.grant(to: thread, more: ordered.first() != nil)
  }
}
