// ForkedSteps — an item's three steps where a probe listens or the process is a
// forked child.
//
// A child has to look twice: a queue may have been in the middle of something that
// nobody here goes on with, and an item that forks must not be followed by those
// that stood behind it in the parent. The look costs others nothing, because it
// hides behind the test of the probe mask.
//
// Touching    `items_since_fork`: its own thread.

import CSignalbox

@usableFromInline
package enum ForkedSteps {
  @inline(never) @usableFromInline
  static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) -> Bool {
    submitted(item, queue, isJob: false)
  }

  @inline(never) @usableFromInline
  static func jobSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer) -> Bool {
    submitted(item, queue, isJob: true)
  }

  @inline(__always)
  private static func submitted(_ item: ItemPointer, _ queue: UnsafeRawPointer, isJob: Bool) -> Bool
  {
    if Probe.isRecorded(.itemSubmitted) { TraceCapture.itemSubmitted(item, queue, isJob: isJob) }
    Probe.tell(.itemSubmitted, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
    return ForkProtocol.hasHappened
  }

  @inline(never) @usableFromInline
  static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    if ForkProtocol.hasHappened { csb_thread_self().pointee.items_since_fork += 1 }
    if Probe.isRecorded(.itemStarted) { TraceCapture.itemStarted(item, queue) }
    Probe.tell(.itemStarted, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
  }

  @inline(never) @usableFromInline
  static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer) -> Bool {
    if Probe.isRecorded(.itemFinished) { TraceCapture.itemFinished(item, queue) }
    Probe.tell(.itemFinished, UInt(bitPattern: queue), UInt64(UInt(bitPattern: item)))
    guard ForkProtocol.hasHappened else { return false }
    let storage = csb_thread_self()
    // More have ended here since the fork than have begun: this one began before.
    if storage.pointee.items_since_fork == 0 { return true }
    storage.pointee.items_since_fork -= 1
    return false
  }
}
