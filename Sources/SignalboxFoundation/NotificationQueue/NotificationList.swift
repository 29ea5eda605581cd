// NotificationList — the waiting notifications of one posting style, in the order in which they
// were queued.
//
// Touching    everything: the thread that owns the line.
// Invariants  I1  `waiting` holds nil below `head`, and entries from there on, sorted by number. A
//                 number is never reused, so notifications that are queued during posting can be
//                 distinguished from earlier ones.
//             I2  `marks` holds the mark of each entry, at the same index.
//             I3  the functions return the removed entries. The caller must release them only
//                 when no list is in use, because freeing them may call back into the line.

import Foundation
import SignalboxRunLoop

struct NotificationList {
  struct Entry {
    /// Kept alive until the notification is posted.
    let queue: NotificationQueue
    let notification: Notification
    let key: NotificationKey
    var modes: NotificationModes
    fileprivate var number: UInt64 = 0

    init(
      _ notification: Notification, of queue: NotificationQueue, _ key: NotificationKey,
      _ modes: NotificationModes
    ) {
      self.queue = queue
      self.notification = notification
      self.key = key
      self.modes = modes
    }

    func post() { queue.center.post(notification) }
  }

  private var waiting: [Entry?] = []
  /// The mark of each entry in `waiting`, in a separate array so that a search does not copy
  /// entries.
  private var marks: [Int] = []
  private var head = 0
  /// The number of the next entry.
  private(set) var end: UInt64 = 0

  var isEmpty: Bool { head == waiting.count }

  mutating func append(_ entry: consuming Entry) {
    entry.number = end
    end += 1
    marks.append(entry.key.mark)
    waiting.append(entry)
  }

  func hasAny(for mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool) -> Bool {
    waiting[head...].contains { $0?.modes.contains(mode, isCommon: isCommon) ?? false }
  }

  /// Removes and returns the first entry for a mode whose number is below `end`.
  mutating func takeFirst(
    before end: UInt64, for mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool
  ) -> Entry? {
    var index = head
    while index < waiting.count, let entry = waiting[index], entry.number < end {
      if entry.modes.contains(mode, isCommon: isCommon) {
        removeFirst(at: index)
        return entry
      }
      index += 1
    }
    return nil
  }

  /// Closes the gap by moving the entries in front of it, which are usually few.
  private mutating func removeFirst(at index: Int) {
    var index = index
    while index > head {
      waiting[index] = waiting[index - 1]
      marks[index] = marks[index - 1]
      index -= 1
    }
    waiting[head] = nil
    head += 1
    if isEmpty {
      reset()
    } else if head > NotificationList.kept && head * 2 > waiting.count {
      waiting.removeFirst(head)
      marks.removeFirst(head)
      head = 0
    }
  }

  private mutating func reset() {
    waiting.removeAll(keepingCapacity: waiting.capacity <= NotificationList.kept)
    marks.removeAll(keepingCapacity: marks.capacity <= NotificationList.kept)
    head = 0
  }

  /// The capacity that an idle list keeps.
  private static var kept: Int { 64 }

  // MARK: Similar notifications

  typealias Mask = NotificationQueue.NotificationCoalescing

  /// The entries that were removed from a list. Usually there is one, which needs no array.
  struct Removed {
    fileprivate var first: Entry?
    fileprivate var others: [Entry] = []
  }

  mutating func removeSimilar(to key: NotificationKey, _ mask: Mask) -> Removed {
    var removed = Removed()
    guard let first = index(of: key, mask, from: head) else { return removed }
    removed.first = waiting[first]
    let inFront = first - head
    if first == head {
      removeFirst(at: first)
    } else {
      waiting.remove(at: first)
      marks.remove(at: first)
    }
    if let second = index(of: key, mask, from: head + inFront) {
      removed.others = removeSimilar(to: key, mask, from: second)
    }
    return removed
  }

  private mutating func removeSimilar(
    to key: NotificationKey, _ mask: Mask, from start: Int
  ) -> [Entry] {
    var removed: [Entry] = []
    var kept = start
    for index in start..<waiting.count {
      guard let entry = waiting[index] else { continue }
      if entry.key.isSimilar(to: key, mask) {
        removed.append(entry)
      } else {
        waiting[kept] = entry
        marks[kept] = marks[index]
        kept += 1
      }
    }
    waiting.removeSubrange(kept...)
    marks.removeSubrange(kept...)
    if isEmpty { reset() }
    return removed
  }

  private func index(of key: NotificationKey, _ mask: Mask, from start: Int) -> Int? {
    let hasName = mask.contains(.onName)
    for index in start..<marks.count where !hasName || marks[index] == key.mark {
      if waiting[index]?.key.isSimilar(to: key, mask) ?? false { return index }
    }
    return nil
  }
}
