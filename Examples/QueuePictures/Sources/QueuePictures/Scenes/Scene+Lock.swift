// Scene+Lock — a lock that is held for as long as the work takes, and one that is held for a copy.

import SignalboxDispatch
import SignalboxLocks
import SignalboxTrace

extension Scene {
  // MARK: Held

  static let lockHeld = Scene(
    name: "lock-held", title: "A lock that is held while something long is done",
    source: "The articles “Copying or locking” and “Profiling on Linux”.",
    steps: [
      Step(
        "The import takes the lock of the catalogue, and does its work with the lock held.",
        [.marks("import", on: .worker), .marks("the lock is taken", on: .worker)]),
      Step(
        "The main thread is to draw the list, comes to the same lock, and is blocked.",
        [.starts("draw", on: .main), .waits(catalogue)]),
      Step(
        "A click comes. Nobody is there to answer it.",
        [.submits("click", on: .worker)],
        facts: [
          Fact("the main thread is blocked when the click comes") { run in
            run.waits.contains { wait in
              wait.what == catalogue && run.threads[wait.thread].isMain
                && run.item("click").map { wait.began < $0.submitted && $0.submitted < wait.ended }
                  ?? false
            }
          }
        ]),
      Step(
        "The import is over and leaves the lock. Only now the main thread goes on.",
        [
          .marks("the lock is left", on: .worker), .goesOn(catalogue), .finishes("draw", on: .main),
          .starts("click", on: .main), .finishes("click", on: .main),
        ]),
    ],
    perform: { end in
      // code: lock-held
      let lock = namedLock()
      let queue = DispatchQueue(label: "import")
      queue.async {
        TraceRecorder.mark("import")
        lock.lock()
        TraceRecorder.mark("the lock is taken")
        draw(lock) {}
        Work.compute { Waiting.mainSleeps(for: name) }
        Work.compute(microseconds: 500)
        click {}
        Work.compute(microseconds: 1500)
        TraceRecorder.mark("the lock is left")
        lock.unlock()
        Work.compute(microseconds: 300)
      }
      // Behind the click.
      queue.async { DispatchQueue.main.async { end() } }
      // end
    })

  // MARK: Left

  static let lockLeft = Scene(
    name: "lock-left", title: "A copy is taken out of the lock, and the work done on that",
    source: "The article “Copying or locking”.",
    steps: [
      Step(
        "The import takes the lock for as long as it takes to copy what it needs.",
        [.marks("import", on: .worker), .marks("it has a copy", on: .worker)]),
      Step(
        "It works on its copy. Meanwhile the main thread draws.",
        [.starts("draw", on: .main), .marks("it is drawn", on: .main)]),
      Step(
        "The click is answered at once.",
        [
          .submits("click", on: .worker), .starts("click", on: .main),
          .marks("it is answered", on: .main),
        ]),
      Step(
        "The import takes the lock once more, to put in what has come of the work.",
        [.marks("the result is put in", on: .worker), .finishes("import", on: .worker)],
        facts: [
          Fact("nobody was blocked in the lock") { run in
            !run.waits.contains { $0.what == catalogue }
          }
        ]),
    ],
    perform: { end in
      // code: lock-left
      let lock = namedLock()
      let queue = DispatchQueue(label: "import")
      let (isDrawn, isAnswered) = (Flag(), Flag())
      queue.async {
        TraceRecorder.mark("import")
        lock.withLock { Work.compute(microseconds: 100) }
        TraceRecorder.mark("it has a copy")
        draw(lock) { isDrawn.set() }
        Work.compute { isDrawn.isSet }
        Work.compute(microseconds: 300)
        click { isAnswered.set() }
        Work.compute { isAnswered.isSet }
        Work.compute(microseconds: 300)
        lock.withLock { Work.compute(microseconds: 100) }
        TraceRecorder.mark("the result is put in")
      }
      queue.async { DispatchQueue.main.async { end() } }
      // end
    })

  private static let name = "catalogue"
  /// How the recording tells of a wait for the lock.
  private static let catalogue = "for the NSLock \"\(name)\""

  private static func namedLock() -> NSLock {
    let lock = NSLock()
    lock.name = name
    return lock
  }

  // code: lock-held lock-left
  /// Has the main thread draw a list of what the lock guards.
  private static func draw(_ lock: NSLock, _ then: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async {
      TraceRecorder.mark("draw")
      Work.compute(microseconds: 200)
      lock.withLock { Work.compute(microseconds: 100) }
      Work.compute(microseconds: 500)
      TraceRecorder.mark("it is drawn")
      then()
    }
  }
  // end

  // code: lock-held lock-left
  private static func click(_ then: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async {
      TraceRecorder.mark("click")
      Work.compute(microseconds: 300)
      TraceRecorder.mark("it is answered")
      then()
    }
  }
  // end
}
