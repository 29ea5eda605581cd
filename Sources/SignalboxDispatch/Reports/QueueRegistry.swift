// QueueRegistry — all queues of the process, through links in them, for reports.
//
// Nobody but a report walks the lists; a queue enters when it is made and leaves when it
// ends. There are several lists, each with a lock, so that threads which make and free queues
// seldom want the same one. A queue is not kept by its list.
//
// Touching    a list, and the links of the queues in it: under its lock.
// Invariants  I1  a queue is in its list from the end of `DispatchQueue.init` until the
//                 beginning of its `deinit`, or until `releaseTargets` ends it: while a
//                 list's lock is held, none of the queues in it is freed, and nothing of
//                 theirs that belongs to `DispatchQueue` is torn down.
//             I2  with a lock held nothing is allocated or freed, no reference to a queue
//                 is made (it may be ending), and nothing of a subclass is read, whose part is
//                 torn down before `deinit` begins here; unless that subclass has left
//                 the list itself before, as `DispatchWorkloop` does.
// Rejected    a walk through what the engine has: a suspended queue with a thousand items, or
//             one that a thread serves which does not wait, is found from nowhere.
//             See Documentation/Decisions/0006-a-registry-of-queues.md.

import CSignalbox
import SignalboxRuntime

final class QueueRegistry: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = QueueRegistry()

  private let lists: UnsafeMutablePointer<List>

  /// On a cache line of its own.
  private struct List: ~Copyable {
    let lock = EngineLock()
    var first: Unmanaged<DispatchQueue>?
    var count = 0
    private let apart: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
  }

  /// Some times as many as threads make queues at a time; a power of two.
  private static let width = 16

  private init() {
    lists = .allocate(capacity: QueueRegistry.width)
    for index in 0..<QueueRegistry.width { (lists + index).initialize(to: List()) }
  }

  /// Queues are some hundred bytes apart: their addresses are mixed by a multiplication.
  private func list(of queue: DispatchQueue) -> UnsafeMutablePointer<List> {
    let mixed = UInt64(UInt(bitPattern: queue.address)) &* 0x9E37_79B9_7F4A_7C15
    return lists + Int(truncatingIfNeeded: mixed >> 60)
  }

  // MARK: Coming and going

  func add(_ queue: DispatchQueue) {
    let new = Unmanaged.passUnretained(queue)  // SAFETY: see I1.
    let list = list(of: queue)
    list.pointee.lock.lock()
    let old = list.pointee.first
    queue.place.next = old
    old?._withUnsafeGuaranteedRef { $0.place.previous = new }
    list.pointee.first = new
    list.pointee.count += 1
    list.pointee.lock.unlock()
  }

  /// Again freely: one that is not first and has none before it has left.
  func remove(_ queue: DispatchQueue) {
    let list = list(of: queue)
    list.pointee.lock.lock()
    let (next, previous) = (queue.place.next, queue.place.previous)
    // SAFETY: an address to compare.
    if previous != nil
      || list.pointee.first?.toOpaque() == Unmanaged.passUnretained(queue).toOpaque()
    {
      if let previous {
        previous._withUnsafeGuaranteedRef { $0.place.next = next }
      } else {
        list.pointee.first = next
      }
      next?._withUnsafeGuaranteedRef { $0.place.previous = previous }
      queue.place = QueuePlace()
      list.pointee.count -= 1
    }
    list.pointee.lock.unlock()
  }

  // MARK: Reports

  /// What can be seen of each queue that holds items or is held, in no order.
  var glances: [QueueGlance] {
    var all: [QueueGlance] = []
    for index in 0..<QueueRegistry.width { look(at: lists + index, into: &all) }
    return all
  }

  private func look(at list: UnsafeMutablePointer<List>, into all: inout [QueueGlance]) {
    // Room is made outside the lock, for some that come meanwhile too.
    var room = 8
    while true {
      all.reserveCapacity(all.count + room)
      list.pointee.lock.lock()
      let wanted = list.pointee.count
      if wanted <= room {
        var next = list.pointee.first
        while let queue = next {
          queue._withUnsafeGuaranteedRef {
            if let glance = $0.glance { all.append(glance) }
            next = $0.place.next
          }
        }
        list.pointee.lock.unlock()
        return
      }
      list.pointee.lock.unlock()
      room = wanted + 8
    }
  }

  // MARK: Fork

  func lockForFork() {
    for index in 0..<QueueRegistry.width { lists[index].lock.lock() }
  }

  func unlockAfterFork() {
    for index in 0..<QueueRegistry.width { lists[index].lock.unlock() }
  }

  /// In a forked child that nobody prepared, by its only thread: another one may have been
  /// making a queue, which nobody will ever know of here.
  func forgetAll() {
    for index in 0..<QueueRegistry.width {
      lists[index].lock.forgetHolder()
      lists[index].first = nil
      lists[index].count = 0
    }
  }
}

/// A queue's links in its list: two words, with which a queue is as large as the allocator's
/// step allows.
struct QueuePlace {
  // SAFETY: see I1 of `QueueRegistry`.
  var next: Unmanaged<DispatchQueue>?
  var previous: Unmanaged<DispatchQueue>?
}

/// What could be seen of a queue without touching it.
struct QueueGlance {
  /// Its address: to compare.
  let id: UInt
  let label: String
  let shape: DispatchQueue.Shape
  let state: QueueState.Snapshot
  /// The label of its target, if it was given one.
  let target: String?
  /// Where its list stands, for `ListLook`.
  let list: UInt
  /// The same of a workloop's lists of items in order; 0 for none.
  let ordered: UInt
}

extension DispatchQueue {
  /// Under the lock of its list: nil if nothing is to be said of it.
  fileprivate final var glance: QueueGlance? {
    // Acquiring: whoever activated the queue had given it its target.
    let now = state.ownersSnapshot
    if now.isIdle && list.isEmpty() { return nil }
    if isLeftByParent { return nil }
    let target = now.isInactive ? nil : above?._withUnsafeGuaranteedRef { $0.label }
    return QueueGlance(
      id: UInt(bitPattern: address), label: label, shape: shape, state: now, target: target,
      list: list.address(),
      // The shape says so; see I2.
      ordered: shape == .workloop
        ? unsafeDowncast(self, to: DispatchWorkloop.self).ordered.address : 0)
  }
}

extension QueueState.Snapshot {
  /// Whether nobody holds it or is about to, and nothing was announced.
  fileprivate var isIdle: Bool {
    !isOwned && !hasShared && !isPending && !isEnlisted && !isGated
  }
}
