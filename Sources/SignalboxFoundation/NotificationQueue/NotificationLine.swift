// NotificationLine — the notifications that a thread has queued, for all queues, and the
// thread's own queue. Its run loop posts them.
//
// Touching    everything: the thread that owns it, without a lock.
// Invariants  I1  while a list is being changed, no code of the program runs and no object of the
//                 program is freed, because that code may call back into this line. The only
//                 exception is the comparison of senders that are values.

import Foundation
import SignalboxRunLoop

final class NotificationLine: LoopHook {
  private var asap = NotificationList()
  private var idle = NotificationList()
  private var queue: NotificationQueue?

  /// The calling thread's line; freed with the thread.
  static var ofThisThread: NotificationLine {
    if let line = SignalboxRunLoop.CFRunLoop.hookOfThisThread {
      // No other class is a hook of loops.
      return unsafeDowncast(line, to: NotificationLine.self)
    }
    let new = NotificationLine()
    SignalboxRunLoop.CFRunLoop.hookOfThisThread = new
    return new
  }

  var defaultQueue: NotificationQueue {
    if let queue { return queue }
    let new = NotificationQueue(notificationCenter: .default)
    queue = new
    return new
  }

  // MARK: Adding and removing

  func enqueue(
    _ notification: Notification, of queue: NotificationQueue,
    _ style: NotificationQueue.PostingStyle, _ mask: NotificationQueue.NotificationCoalescing,
    _ modes: NotificationModes
  ) {
    let key = NotificationKey(notification, of: queue)
    dequeue(key, mask)
    if style == .now {
      if mayPostNow(modes) { queue.center.post(notification) }
      return
    }
    let entry = NotificationList.Entry(notification, of: queue, key, modes)
    if style == .asap { asap.append(entry) } else { idle.append(entry) }
    SignalboxRunLoop.CFRunLoop.noteHookWork()
  }

  private func mayPostNow(_ modes: NotificationModes) -> Bool {
    guard let mode = SignalboxRunLoop.RunLoop.current.currentMode else { return true }
    return modes.names(mode)
  }

  func dequeue(
    _ notification: Notification, of queue: NotificationQueue,
    _ mask: NotificationQueue.NotificationCoalescing
  ) {
    dequeue(NotificationKey(notification, of: queue), mask)
  }

  private func dequeue(
    _ key: NotificationKey, _ mask: NotificationQueue.NotificationCoalescing
  ) {
    if mask.isEmpty { return }
    let removed = asap.removeSimilar(to: key, mask)
    let late = idle.removeSimilar(to: key, mask)
    withExtendedLifetime((removed, late)) {}
  }

  // MARK: Posting

  private var hasMore: Bool { !asap.isEmpty || !idle.isEmpty }

  func finishPass(in mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool) -> Bool {
    // Notifications that are queued during the posts wait for the next pass.
    let end = asap.end
    while let entry = asap.takeFirst(before: end, for: mode, isCommon: isCommon) { entry.post() }
    return hasMore
  }

  func wantsIdleness(in mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool) -> Bool {
    idle.hasAny(for: mode, isCommon: isCommon)
  }

  func useIdleness(
    in mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool, until isOver: () -> Bool
  ) -> Bool {
    let end = idle.end
    while let entry = idle.takeFirst(before: end, for: mode, isCommon: isCommon) {
      entry.post()
      if isOver() { break }
    }
    return hasMore
  }
}
