import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_67 = Listing(
    "004-67", heading: "Using synchronized",
    shows: "enter and exit around a Swift method's body",
    outcome: "the argument is guarded between the two",
    truth: "a body that returns early keeps the lock; defer, or synchronized, releases it",
    rows: ["L9"],
    fault: {
      let anObj = Document004.Account()
      // It left early and still has the lock; then it waits for one who wants it.
      Document004.enterAndExit(anObj) { .leavesEarly }
      let next = JoinableThread { Document004.enterAndExit(anObj) { .goesOn } }
      next.name = "next"
      next.start()
      next.join()
    }
  ) { story in
    let anObj = Document004.Account()
    runSideBySide(2) { _ in
      for _ in 0..<1_000 {
        Document004.enterAndExit(anObj) {
          anObj.balance.value = anObj.balance.value + 1
          return .goesOn
        }
      }
    }
    story.check(anObj.balance.value, is: 2_000, "between enter and exit nobody changes the object")

    Document004.enterAndExit(anObj) { .leavesEarly }
    story.check(
      objc_sync_exit(anObj), is: OBJC_SYNC_SUCCESS,
      "the fault: after a body that left early this thread still had the lock")
    let report = try story.runFault()
    story.check(
      report.wasTrapped && report.message.contains("\"next\""),
      "if it then waits for the next one to want it, that deadlock is reported")

    Document004.enterAndDefer(anObj) { .leavesEarly }
    story.check(
      objc_sync_exit(anObj), is: OBJC_SYNC_NOT_OWNING_THREAD_ERROR,
      "the repair: with defer the lock is given back")
    Document004.synchronize(anObj) { .leavesEarly }
    story.check(
      objc_sync_exit(anObj), is: OBJC_SYNC_NOT_OWNING_THREAD_ERROR, "and so with synchronized")
  }
}

extension Document004 {
  enum Body {
    case goesOn, leavesEarly
  }

  /// As printed.
  static func enterAndExit(_ anObj: AnyObject?, _ body: () -> Body) {
    objc_sync_enter(anObj)
    guard body() == .goesOn else { return }
    objc_sync_exit(anObj)
  }

  static func enterAndDefer(_ anObj: AnyObject?, _ body: () -> Body) {
    objc_sync_enter(anObj)
    defer { objc_sync_exit(anObj) }
    guard body() == .goesOn else { return }
  }

  static func synchronize(_ anObj: AnyObject?, _ body: () -> Body) {
    synchronized(anObj) {
      guard body() == .goesOn else { return }
    }
  }
}
