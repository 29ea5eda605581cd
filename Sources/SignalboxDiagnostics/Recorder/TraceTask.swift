// TraceTask — the task of Swift's runtime to which a submitted item belongs.
//
// Touching    the submitting thread, before the item is in a list: until then the job cannot run.

import CSignalbox
import SignalboxRuntime

struct TraceTask {
  /// The lower half of the task's number, which is never 0; 0 if the item belongs to no task.
  private(set) var number: UInt32 = 0
  /// The class of the job's priority, numbered as in `EventKind.itemSubmitted`.
  private(set) var classOfService: UInt16 = 0
  /// The number of the object that carries the task's name; 0 if the task has no name.
  private(set) var name: UInt64 = 0

  /// - Parameter isInPlace: whether the item is in the job's own memory.
  @inline(never)
  init(ofJobIn item: ItemPointer, isInPlace: Bool) {
    let raw = UnsafeRawPointer(item)
    // SAFETY: an item in place is a part of its job; otherwise the flag `job` says where the job is.
    let job =
      isInPlace
      ? raw - Item.offsetInJob
      : raw.load(fromByteOffset: Item.capturesOffset, as: UnsafeRawPointer.self)
    withUnsafeTemporaryAllocation(of: csb_task.self, capacity: 1) { memory in
      guard let task = memory.baseAddress else { return }
      csb_task_read(job, task)
      number = UInt32(truncatingIfNeeded: task.pointee.number)
      classOfService = UInt16(task.pointee.class_of_service)
      let text = csb_task_name(task)
      if text.pointee == 0 { return }
      name = TraceCapture.shared.identify(UInt(number), .task, .name(String(cString: text)))
    }
  }
}
