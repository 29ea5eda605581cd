// ThreadStack+Queues — which queues a waiting thread holds, and which items wait in their lists
// behind it.
//
// Touching    `works(on:)`: the thread itself, and the thread that runs its work while it waits for
//             the end of that work. `shares(of:)`: the thread itself. `anyQueue`: also the thread
//             itself. The rest: under the lock of the thread's wait record, while the thread
//             waits. During that time nothing leaves these lists; other threads only append:
//             - the list of a queue that the thread owns;
//             - the list of a gated concurrent queue of which the thread holds a share: its
//               first item waits for that share;
//             - the main queue's list, if the thread is the main one;
//             - the list of a queue without owner or shares, whose drain task is in the list
//               of a queue that the thread owns.

import SignalboxRuntime

extension ThreadStack {
  // MARK: Queues

  /// Calls `body` with each queue that the thread owns or shares, until `body` returns true. It may
  /// get a queue more than once.
  func anyQueue(_ body: (DispatchQueue) -> Bool) -> Bool {
    if isMain && body(DispatchQueue.main) { return true }
    if ThreadStack.anyQueue(from: frame, body) { return true }
    return anyHold { hold in
      switch hold.kind {
      case .work, .awaitedWork, .operationQueue, .operation, .operationStart, .caller: false
      case .queue:
        // SAFETY: the function whose stack holds the record has a reference.
        Unmanaged<DispatchQueue>.fromOpaque(hold.object)._withUnsafeGuaranteedRef(body)
      case .frames: ThreadStack.anyQueue(from: hold.object, body)
      }
    }
  }

  /// Also calls `body` with the targets, because a thread that is on a queue holds its targets
  /// too.
  private static func anyQueue(
    from frame: UnsafeRawPointer?, _ body: (DispatchQueue) -> Bool
  ) -> Bool {
    var next = frame
    while let raw = next {
      // SAFETY: only `QueueFrame` writes the chain.
      let frame = raw.assumingMemoryBound(to: QueueFrame.self)
      var queue: DispatchQueue? = frame.pointee.queue._withUnsafeGuaranteedRef { $0 }
      while let current = queue {
        if body(current) { return true }
        queue = current.target
      }
      next = frame.pointee.outer.map { UnsafeRawPointer($0) }
    }
    return false
  }

  /// Whether the work that the thread runs is work of `queue`, or of a queue that targets it: the
  /// thread is on that queue, or it runs the work for a thread that is.
  func works(on queue: DispatchQueue) -> Bool {
    if queue.shape == .main && isMain { return true }
    return QueueFrame.any(from: frame) { $0.reaches(queue) } || caller?.works(on: queue) ?? false
  }

  /// How many shares of a concurrent queue the thread holds, unless it owns that queue: one for each
  /// frame, and one for each `sync` that took the queue as the target of another one.
  ///
  /// A `sync` that waits for the target of the queue has a share, too, but no frame yet. A thread
  /// that can call this while it waits does not have both: it would own that target.
  func shares(of queue: DispatchQueue) -> Int {
    var count = ThreadStack.frames(of: queue, from: frame.map { UnsafeRawPointer($0) })
    _ = anyHold { hold in
      switch hold.kind {
      case .work, .awaitedWork, .operationQueue, .operation, .operationStart, .caller: break
      case .queue:
        // SAFETY: the function whose stack holds the record has a reference.
        let isThrough = Unmanaged<DispatchQueue>.fromOpaque(hold.object)._withUnsafeGuaranteedRef {
          $0.target === queue
        }
        if isThrough { count += 1 }
      case .frames: count += ThreadStack.frames(of: queue, from: hold.object)
      }
      return false
    }
    return count == 0 && holds(queue.address, .queue) ? 1 : count
  }

  /// How many frames of `queue` there are from `frame` outwards.
  private static func frames(of queue: DispatchQueue, from frame: UnsafeRawPointer?) -> Int {
    var count = 0
    _ = QueueFrame.any(from: UnsafeMutableRawPointer(mutating: frame)) {
      if $0 === queue { count += 1 }
      return false
    }
    return count
  }

  /// Whether the thread owns or shares the queue at this address.
  func holdsQueue(_ queue: UnsafeRawPointer) -> Bool { anyQueue { $0.address == queue } }

  // MARK: Items

  /// Whether work that `object` counts waits in a list behind the thread.
  private func holdsBack(_ object: UnsafeRawPointer, _ budget: inout Int) -> Bool {
    anyQueue { $0.holdsBack(object, self, &budget) }
  }

  /// How the thread delays the end of work that `object` counts, such as an item of a group.
  static let workTest: WaitNeed.Test = { object, stack, budget in
    if stack.works(for: object) { return .works }
    return stack.holdsBack(object, &budget) ? .holdsBack : nil
  }

  /// How the thread delays the end of a work item. If the item has not begun, another thread may
  /// end the wait by performing it.
  static let workItemTest: WaitNeed.Test = { object, stack, budget in
    if stack.works(for: object) { return .works }
    if stack.holds(object, .awaitedWork) { return .works.released(by: .perform) }
    return stack.holdsBack(object, &budget) ? .holdsBack.released(by: .perform) : nil
  }

  // MARK: Words

  /// The queues that the thread is on, the innermost first.
  var queueWords: String {
    let labels = ThreadStack.texts(from: frame.map { UnsafeRawPointer($0) }) { $0.quotedLabel }
    var held: [String] = []
    _ = anyHold { hold in
      guard hold.kind == .queue else { return false }
      // SAFETY: the function whose stack holds the record has a reference.
      held.append(
        Unmanaged<DispatchQueue>.fromOpaque(hold.object)._withUnsafeGuaranteedRef {
          $0.quotedLabel
        })
      return false
    }
    let place = labels.isEmpty ? "" : "on the queue " + labels.joined(separator: " within ")
    if held.isEmpty { return place }
    return place + (place.isEmpty ? "" : ", ") + "holding the queue " + held.joined(separator: ", ")
  }

  /// The labels of the queues that the thread is on, the innermost first.
  var queueLabels: [String] {
    ThreadStack.texts(from: frame.map { UnsafeRawPointer($0) }) { $0.label }
  }

  /// The labels of the queues that the calling thread is on, the innermost first.
  static var ownQueueLabels: [String] {
    texts(from: QueueFrame.innermost.map { UnsafeRawPointer($0) }) { $0.label }
  }

  private static func texts(
    from frame: UnsafeRawPointer?, _ text: (DispatchQueue) -> String
  ) -> [String] {
    var texts: [String] = []
    var next = frame
    while let raw = next {
      // SAFETY: only `QueueFrame` writes the chain.
      let frame = raw.assumingMemoryBound(to: QueueFrame.self)
      let label = frame.pointee.queue._withUnsafeGuaranteedRef { text($0) }
      if texts.last != label { texts.append(label) }
      next = frame.pointee.outer.map { UnsafeRawPointer($0) }
    }
    return texts
  }

  /// The number of items that wait behind the thread, up to the limit of the search.
  var countHeldBack: Int {
    var budget = WaitNeed.longestLook
    _ = anyQueue { queue in
      queue.standsStill(for: self) && queue.list.containsStanding(&budget) { _, _ in false }
    }
    return WaitNeed.longestLook - budget
  }
}

extension DispatchQueue {
  /// Whether nothing can be removed from the list until the thread with `stack`, which holds the
  /// queue, continues.
  fileprivate func standsStill(for stack: ThreadStack) -> Bool {
    if shape == .main { return stack.isMain }
    let now = state.ownersSnapshot
    if now.isOwned { return now.owner == stack.thread && !now.hasShared }
    return now.isGated && now.hasShared
  }

  fileprivate func holdsBack(
    _ object: UnsafeRawPointer, _ stack: ThreadStack, _ budget: inout Int
  ) -> Bool {
    guard standsStill(for: stack) else { return false }
    // Look deeper only if no other thread can hold a share. Such a thread may just have removed a
    // drain task, unnoticed by this search, so that the task's queue can be drained.
    let looksDeeper = shape == .main || state.ownersSnapshot.isOwned
    return list.containsStanding(&budget) {
      DispatchQueue.counts($0, for: object, looksDeeper: looksDeeper, &$1)
    }
  }

  /// Whether `item` is work that `object` counts, or the drain task of a queue whose list holds
  /// such work.
  private static func counts(
    _ item: ItemPointer, for object: UnsafeRawPointer, looksDeeper: Bool, _ budget: inout Int
  ) -> Bool {
    if MemberItem.counts(item, for: object) || WorkItemNode.counts(item, for: object) {
      return true
    }
    guard looksDeeper, let scheduled = DrainTask.queue(of: item) else { return false }
    return scheduled._withUnsafeGuaranteedRef { queue in
      queue.state.ownersSnapshot.waitsForTarget
        && queue.list.containsStanding(&budget) {
          counts($0, for: object, looksDeeper: true, &$1)
        }
    }
  }
}
