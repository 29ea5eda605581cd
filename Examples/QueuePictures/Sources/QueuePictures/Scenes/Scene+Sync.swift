// Scene+Sync — the walk-throughs of `sync`, in eight steps and in six.

import SignalboxDispatch
import SignalboxTrace

extension Scene {
  private static let main: [Pattern] = [
    .finishes("earlier task", on: .main), .starts("view controller", on: .main),
  ]

  /// While the block waits, nothing but its wait is on the main thread.
  private static let mainWaits = Fact("the main thread waits in sync until the block's turn") {
    run in
    guard let block = run.item("First Log") else { return false }
    return run.waits.contains { wait in
      run.threads[wait.thread].isMain && wait.what == "in sync, for \(WalkThrough.label)"
        && block.submitted <= wait.began && wait.ended <= block.started
        && ["task A", "task B", "task C"].allSatisfy { name in
          run.item(name).map { $0.finished >= 0 && $0.finished <= wait.ended } ?? false
        }
    }
  }

  private static let blockRunsLast = Fact("tasks A and B end before C, C before the block starts") {
    run in
    run.ends("task A", before: "task C") && run.ends("task B", before: "task C")
      && run.ends("task C", before: "First Log")
  }

  static let syncInEight = Scene(
    name: "sync-8", title: "sync, in eight steps",
    source: "GCD in depth, part 1: review of dispatch_sync. \(WalkThrough.remark)",
    steps: [
      Step(
        "The main queue runs its tasks in order; next comes the one that makes the view "
          + "controller, with viewDidLoad.", main),
      Step("viewDidLoad runs on the main thread.", [.marks("viewDidLoad", on: .main)]),
      Step(
        "The main thread is within viewDidLoad and about to reach sync.",
        [.marks("about to reach sync", on: .main)]),
      Step(
        "The block is added to the queue. The main thread halts until it is over. Meanwhile the "
          + "queue works on its tasks, first in, first out, and several at a time.",
        [.calls("First Log")],
        facts: [mainWaits, WalkThrough.tasksRunAtOnce, WalkThrough.tasksInOrder]),
      Step(
        "The queue works on the tasks that were there before the block.",
        [
          .finishes("task A", on: .worker), .finishes("task B", on: .worker),
          .finishes("task C", on: .worker),
        ], isOrdered: false, facts: [blockRunsLast]),
      Step("At last it is the block's turn.", [.starts("First Log", on: .main)]),
      Step(
        "The block is over, so the task on the main thread goes on.",
        [.finishes("First Log", on: .main), .marks("Second Log", on: .main)]),
      Step(
        "viewDidLoad is over, and the main queue goes on with its other tasks.",
        [.finishes("view controller", on: .main), .starts("next task", on: .main)]),
    ],
    perform: sync)

  static let syncInSix = Scene(
    name: "sync-6", title: "sync, in six steps",
    source: "GCD tutorial for Swift, part 1: review of dispatch_sync. \(WalkThrough.remark)",
    steps: [
      Step(
        "The main queue runs its tasks in order; next comes the one that makes the view "
          + "controller, with viewDidLoad.", main),
      Step("viewDidLoad runs on the main thread.", [.marks("viewDidLoad", on: .main)]),
      Step(
        "The block is added to the queue; the main thread halts until it is over. Meanwhile the "
          + "queue works on several tasks at a time, taken first in, first out: those that were "
          + "there before the block come first.",
        [.calls("First Log"), .finishes("task C", on: .worker)],
        facts: [
          mainWaits, WalkThrough.tasksRunAtOnce, WalkThrough.tasksInOrder, blockRunsLast,
        ]),
      Step("At last it is the block's turn.", [.starts("First Log", on: .main)]),
      Step(
        "The block is over, and the main thread can go on.",
        [.finishes("First Log", on: .main), .marks("Second Log", on: .main)]),
      Step(
        "viewDidLoad is over, and the main queue goes on with its other tasks.",
        [.finishes("view controller", on: .main), .starts("next task", on: .main)]),
    ],
    perform: sync)

  // code: sync-8 sync-6
  private static let sync: @Sendable (@escaping @Sendable () -> Void) -> Void = { end in
    let walk = WalkThrough()
    walk.begin {
      Work.compute { Waiting.mainIsInSync }
      walk.letTasksEnd()
    }
    walk.show(
      {
        WalkThrough.superViewDidLoad()
        TraceRecorder.mark("about to reach sync")
        walk.queue.sync {
          TraceRecorder.mark("First Log")
          Work.compute(microseconds: 600)
        }
        TraceRecorder.mark("Second Log")
        Work.compute(microseconds: 400)
      }, then: { DispatchQueue.main.async { end() } })
  }
  // end
}
