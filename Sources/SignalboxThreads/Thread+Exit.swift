// Thread+Exit — ends the calling thread from any depth.

import CSignalbox
import SignalboxRuntime

extension Thread {
  static func leave() {
    checkNeedsNoResult()
    checkMayLeave("Thread.exit()")
    csb_thread_exit()
  }

  /// Ends the calling thread, from any depth, and passes `value` to the thread that joins it.
  ///
  /// *Beyond Apple's API.* Use it on a ``JoinableThread`` with a result of this type; on any
  /// other thread it traps. It also traps where ``exit()`` does, and has the same effect on
  /// memory.
  ///
  /// - Parameter value: the value that `join()` returns.
  @available(*, noasync)
  public static func exit<Success>(returning value: consuming Success) -> Never {
    checkMayLeave("Thread.exit(returning:)")
    keepResult(consume value)
    csb_thread_exit()
  }

  // Code that needs references is in separate functions, which release them before they return. So
  // the abandoned frames hold no references.

  @inline(never)
  private static func checkNeedsNoResult() {
    let thread = current
    guard let task = thread.currentTask, !task.mayEndEarly else { return }
    clientBug(
      "Thread.exit() was called on \(thread.words), whose result of type \(task.resultName) is "
        + "waited for: call Thread.exit(returning:).")
  }

  @inline(never)
  private static func keepResult<Success>(_ value: consuming Success) {
    let thread = current
    if thread.record.wantsJoin, let task = thread.currentTask, task.keep(value) { return }
    clientBug(
      "Thread.exit(returning:) was called with a \(Success.self) on \(thread.words), whose result "
        + "is not of that type: only a JoinableThread has one.")
  }

  @inline(never)
  private static func checkMayLeave(_ call: StaticString) {
    let storage = csb_thread_self()
    if storage.pointee.worker != nil {
      clientBug(
        "\(call) was called in an item of a queue: the thread belongs to the pool. Return from "
          + "the item.")
    }
    if storage.pointee.frame != nil || storage.pointee.holds != nil {
      clientBug(
        "\(call) was called inside sync, which holds a queue that no other thread could release. "
          + "Return from it first.")
    }
  }
}
