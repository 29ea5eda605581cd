// Scene+Classes — classes of service: which of several items comes first, and how one that is
// wanted sooner takes its queue along.

import SignalboxDispatch
import SignalboxTrace

extension Scene {
  // MARK: Several classes on one processor

  static let classes = Scene(
    name: "classes", title: "Four classes of service on one processor",
    source: "The article “Quality of service”: what its table says, recorded.",
    steps: [
      Step(
        "The one place of the pool is taken. Meanwhile others are submitted, the least urgent first.",
        [
          .starts("draw", on: .worker), .submits("back up"), .submits("list"),
          .submits("open photo"),
        ]),
      Step(
        "The place is free: what was submitted last is the most urgent, and comes first.",
        [.finishes("draw", on: .worker), .starts("open photo", on: .worker)]),
      Step(
        "Then comes what nobody has called urgent.",
        [.finishes("open photo", on: .worker), .starts("list", on: .worker)]),
      Step(
        "The backup has a worker of the lowest kernel priority. It is over last.",
        [.marks("it is listed", on: .worker), .finishes("back up", on: .worker)],
        facts: [
          Fact("the worker of the backup is one of those for background work") { run in
            run.worker(of: "back up").hasPrefix("sb-background")
          },
          Fact("all others have one worker") { run in
            Set(["draw", "open photo", "list"].map(run.worker(of:))).count == 1
              && run.worker(of: "draw").hasPrefix("sb-default")
          },
        ]),
    ],
    needsOneProcessor: true,
    perform: { end in
      // code: classes
      func queue(_ label: String, _ quality: DispatchQoS) -> DispatchQueue {
        DispatchQueue(label: label, qos: quality)
      }
      let (draws, allAreSubmitted, isListed) = (Gate(), Flag(), Flag())
      queue("user-interactive", .userInteractive).async {
        TraceRecorder.mark("draw")
        draws.open()
        Work.compute { allAreSubmitted.isSet }
        Work.compute(microseconds: 300)
      }
      draws.wait()
      let background = queue("background", .background)
      background.async {
        TraceRecorder.mark("back up")
        Work.compute { isListed.isSet }
        Work.compute(microseconds: 600)
      }
      background.async { DispatchQueue.main.async { end() } }
      queue("default", .default).async {
        TraceRecorder.mark("list")
        Work.compute(microseconds: 900)
        TraceRecorder.mark("it is listed")
        isListed.set()
      }
      queue("user-initiated", .userInitiated).async {
        TraceRecorder.mark("open photo")
        Work.compute(microseconds: 900)
      }
      allAreSubmitted.set()
      // end
    })

  // MARK: Wanted sooner

  static let wanted = Scene(
    name: "wanted", title: "An item that is more urgent than its queue",
    source: "The article “Quality of service”, “Work that is wanted sooner”.",
    steps: [
      Step(
        "Thumbnails are made on a worker of lower kernel priority, one by one.",
        [.starts("1", on: .worker), .submits("2"), .submits("3")],
        facts: [Fact("that worker is one for utility work") { $0.isUtility("1") }]),
      Step("One that somebody looks for is submitted behind them.", [.submits("wanted")]),
      Step(
        "When the item that runs is over, the queue changes over to a worker of normal priority: those "
          + "before the wanted one must end first.",
        [.finishes("1", on: .worker), .starts("2", on: .worker), .finishes("3", on: .worker)],
        facts: [Fact("2 and 3 have such a worker") { !$0.isUtility("2") && !$0.isUtility("3") }]),
      Step(
        "The wanted one runs there.", [.starts("wanted", on: .worker)],
        facts: [Fact("it has such a worker") { !$0.isUtility("wanted") }]),
      Step(
        "What comes behind it is wanted no sooner than before.",
        [.finishes("wanted", on: .worker), .starts("4", on: .worker)],
        facts: [Fact("4 is made by a worker for utility work") { $0.isUtility("4") }]),
    ],
    perform: { end in
      // code: wanted
      let queue = DispatchQueue(label: "thumbnails", qos: .utility)
      let (runs, allAreSubmitted) = (Gate(), Flag())
      queue.async {
        TraceRecorder.mark("1")
        runs.open()
        Work.compute { allAreSubmitted.isSet }
        Work.compute(microseconds: 500)
      }
      runs.wait()
      for name in ["2", "3"] { queue.async { make(name) } }
      queue.async(qos: .userInteractive, flags: .enforceQoS) { make("wanted") }
      queue.async { make("4") }
      queue.async { DispatchQueue.main.async { end() } }
      allAreSubmitted.set()
      // end
    })

  // code: wanted
  private static func make(_ name: String) {
    TraceRecorder.mark(name)
    Work.compute(microseconds: 700)
  }
  // end
}

extension RecordedRun {
  /// The name of the thread that ran an item; none if there is no such item.
  fileprivate func worker(of name: String) -> String {
    item(name).map { threads[$0.runner].title } ?? ""
  }

  fileprivate func isUtility(_ name: String) -> Bool { worker(of: name).hasPrefix("sb-utility") }
}
