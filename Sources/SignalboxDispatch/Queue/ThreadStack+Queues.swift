// ThreadStack+Queues — which queues a waiting thread holds, and what stands in
// their lists behind it.
//
// Touching    everything here: under the lock of the thread's wait record, while
//             the thread waits. Then these stand still:
//             - the list of a queue that the thread owns;
//             - the list of a concurrent queue that is gated, of which the thread
//               holds a share: its first item waits for that share;
//             - the main queue's list, if the thread is the main one;
//             - the list of a queue that nobody owns or shares, and whose
//               invitation stands in the list of one that the thread owns.
//             Others only append.

import SignalboxRuntime

extension ThreadStack {
  // MARK: Queues

  /// Calls `body` with each queue that the thread owns or shares until it returns
  /// true. A queue may come more than once.
  private func anyQueue(_ body: (DispatchQueue) -> Bool) -> Bool {
    if isMain && body(DispatchQueue.main) { return true }
    if ThreadStack.anyQueue(from: frame, body) { return true }
    return anyHold { hold in
      switch hold.kind {
      case .work, .awaitedWork, .operationQueue, .operation, .operationStart: false
      case .queue:
        // SAFETY: the function whose stack it stands in holds a reference.
        Unmanaged<DispatchQueue>.fromOpaque(hold.object)._withUnsafeGuaranteedRef(body)
      case .frames: ThreadStack.anyQueue(from: hold.object, body)
      }
    }
  }

  /// A thread that is on a queue holds its targets too.
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

  /// Whether the thread owns or shares the queue at this address.
  func holdsQueue(_ queue: UnsafeRawPointer) -> Bool { anyQueue { $0.address == queue } }

  // MARK: Items

  /// Whether work that `object` counts stands in a list behind the thread.
  private func holdsBack(_ object: UnsafeRawPointer, _ budget: inout Int) -> Bool {
    anyQueue { $0.holdsBack(object, self, &budget) }
  }

  /// How the thread holds up the end of work that `object` counts: an item of a group.
  static let workTest: WaitNeed.Test = { object, stack, budget in
    if stack.works(for: object) { return .works }
    return stack.holdsBack(object, &budget) ? .holdsBack : nil
  }

  /// How the thread holds up the end of a work item. One that has not begun may be performed by
  /// another thread.
  static let workItemTest: WaitNeed.Test = { object, stack, budget in
    if stack.works(for: object) { return .works }
    if stack.holds(object, .awaitedWork) { return .works.released(by: .perform) }
    return stack.holdsBack(object, &budget) ? .holdsBack.released(by: .perform) : nil
  }

  // MARK: Words

  /// On which queues the thread is, the innermost first.
  package var place: String {
    var labels: [String] = []
    var next = frame.map { UnsafeRawPointer($0) }
    while let raw = next {
      // SAFETY: only `QueueFrame` writes the chain.
      let frame = raw.assumingMemoryBound(to: QueueFrame.self)
      let label = frame.pointee.queue._withUnsafeGuaranteedRef { $0.quotedLabel }
      if labels.last != label { labels.append(label) }
      next = frame.pointee.outer.map { UnsafeRawPointer($0) }
    }
    var held: [String] = []
    _ = anyHold { hold in
      guard hold.kind == .queue else { return false }
      // SAFETY: the function whose stack it stands in holds a reference.
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

  /// How many items stand behind the thread, as far as they are counted.
  var countHeldBack: Int {
    var budget = WaitNeed.longestLook
    _ = anyQueue { queue in
      queue.standsStill(for: self) && queue.list.containsStanding(&budget) { _, _ in false }
    }
    return WaitNeed.longestLook - budget
  }
}

extension DispatchQueue {
  /// Whether nobody can take anything out of the list before the thread with
  /// `stack`, which holds the queue, goes on.
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
    // An invitation that another sharer has just taken out may be missed here, and
    // the queue behind it be served.
    let looksDeeper = shape == .main || state.ownersSnapshot.isOwned
    return list.containsStanding(&budget) {
      DispatchQueue.counts($0, for: object, looksDeeper: looksDeeper, &$1)
    }
  }

  /// Whether `item` is work that `object` counts, or the invitation of a queue in
  /// whose list such work stands.
  private static func counts(
    _ item: ItemPointer, for object: UnsafeRawPointer, looksDeeper: Bool, _ budget: inout Int
  ) -> Bool {
    if ClosureItem.counts(item, for: object) || WorkItemNode.counts(item, for: object) {
      return true
    }
    guard looksDeeper, let invited = Invitation.queue(of: item) else { return false }
    return invited._withUnsafeGuaranteedRef { queue in
      queue.state.ownersSnapshot.waitsForTarget
        && queue.list.containsStanding(&budget) {
          counts($0, for: object, looksDeeper: true, &$1)
        }
    }
  }
}
