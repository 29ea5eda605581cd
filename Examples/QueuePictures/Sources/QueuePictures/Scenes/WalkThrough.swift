// WalkThrough — what the walk-throughs of `sync` and `async` have in common: a view controller on
// the main thread, and a queue on which others were before.
//
// The documents' queue is a global one. To a global queue `sync` never waits (neither here nor with
// Apple's): its closure runs at once. So that the block waits for its turn, as the documents tell
// it, the queue is a concurrent one of our own, and before the block stand two tasks that run at
// the same time and one that runs alone.

import SignalboxDispatch
import SignalboxTrace

final class WalkThrough: Sendable {
  static let label = "background"

  static let remark = "On a concurrent queue of our own: to a global one sync does not wait."

  let queue = DispatchQueue(label: WalkThrough.label, attributes: .concurrent)
  /// Behind it tasks A and B end.
  private let end = Gate()

  func letTasksEnd() { end.open() }

  // code: sync-8 sync-6 async-7 async-6
  /// Two tasks under way, a third one behind them.
  ///
  /// - Parameter work: what task A does while task B runs, too.
  func begin(_ work: @escaping @Sendable () -> Void = {}) {
    let runs = [Gate(), Gate()]
    queue.async { [end] in
      TraceRecorder.mark("task A")
      runs[0].open()
      runs[1].wait()
      work()
      end.wait()
      Work.compute(microseconds: 400)
    }
    // Each begins before the next is submitted: their order is certain.
    runs[0].wait()
    queue.async { [end] in
      TraceRecorder.mark("task B")
      runs[1].open()
      Work.compute(microseconds: 700)
      end.wait()
      Work.compute(microseconds: 800)
    }
    runs[1].wait()
    queue.async(flags: .barrier) {
      TraceRecorder.mark("task C")
      Work.compute(microseconds: 800)
    }
  }

  /// The main queue's items: one before, the view controller's, one after.
  func show(
    _ viewDidLoad: @escaping @Sendable () -> Void, then next: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.main.async {
      TraceRecorder.mark("earlier task")
      Work.compute(microseconds: 600)
    }
    DispatchQueue.main.async {
      TraceRecorder.mark("view controller")
      Work.compute(microseconds: 300)
      viewDidLoad()
    }
    DispatchQueue.main.async {
      TraceRecorder.mark("next task")
      Work.compute(microseconds: 600)
      next()
    }
  }

  /// What `viewDidLoad` of the documents begins with.
  static func superViewDidLoad() {
    TraceRecorder.mark("viewDidLoad")
    Work.compute(microseconds: 500)
  }
  // end

  static let tasksRunAtOnce = Fact("tasks A and B of the queue run at the same time") { run in
    run.runAtOnce("task A", "task B")
  }

  static let tasksInOrder = Fact("the queue's tasks start in the order of submission") { run in
    guard let a = run.item("task A"), let b = run.item("task B"), let c = run.item("task C")
    else { return false }
    return a.submitted < b.submitted && b.submitted < c.submitted
      && a.started < b.started && b.started < c.started
  }
}
