// WaitTask — the task of Swift's runtime in which a thread waits, in the words of reports.
//
// Touching    a waiting thread's job, under the lock of the thread's record: until the wait ends, only the
//             thread itself could change what is read (`WaitRecord`, I2).

import CSignalbox
import SignalboxRuntime

enum WaitTask {
  /// "task 17 "decode" (user-initiated)"; nil if the thread runs no job. Under the lock of the thread's record.
  static func words(of thread: UnsafePointer<csb_thread>) -> String? {
    withUnsafeTemporaryAllocation(of: csb_task.self, capacity: 1) { memory in
      guard let task = memory.baseAddress, csb_task_of(thread, task) != 0 else { return nil }
      let name = String(cString: csb_task_name(task))
      let number = task.pointee.number
      let priority = words(forClass: task.pointee.class_of_service)
      return (number == 0 ? "a job of an actor" : "task \(number)")
        + (name.isEmpty ? "" : " \"\(name)\"") + (priority.map { " (\($0))" } ?? "")
    }
  }

  private static func words(forClass number: UInt32) -> String? {
    let all = ["background", "utility", "default", "user-initiated", "user-interactive"]
    return all.indices.contains(Int(number) - 1) ? all[Int(number) - 1] : nil
  }
}
