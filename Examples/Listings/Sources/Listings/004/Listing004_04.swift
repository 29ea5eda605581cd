import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_04 = Listing(
    "004-04", heading: "Autorelease pool",
    shows: "an application's main in a pool",
    outcome: "the whole application runs in one pool, and its status passes through it",
    truth:
      "in Swift it needs no pool: an object is freed with its last reference, while the "
      + "loop runs",
    rows: ["Q16", "R1"]
  ) { story in
    let order = Transcript()
    let status = onLoopThread { loop in
      autoreleasepool { () -> Int in
        defer { order.append("the application ends") }
        return Document004.applicationMain(loop, order)
      }
    }
    story.tell(order)
    story.check(status, is: 0, "the status of the application is that of its main function")
    story.check(
      order.lines, is: ["launched", "the object is released", "the application ends"],
      "an object of one pass is gone before the pool is")

    let withoutPool = Transcript()
    let sameStatus = onLoopThread { loop in
      defer { withoutPool.append("the application ends") }
      return Document004.applicationMain(loop, withoutPool)
    }
    story.check(
      sameStatus == status && withoutPool.lines == order.lines,
      "without a pool the same happens, in the same order")
  }
}

extension Document004 {
  /// Runs the thread's loop until what it was launched for is done.
  static func applicationMain(_ loop: CFRunLoop, _ order: Transcript) -> Int {
    let launch = makeCustomSource {
      let object = Temporary("the object", order)
      withExtendedLifetime(object) { order.append("launched") }
      CFRunLoopStop(CFRunLoopGetCurrent())
    }
    CFRunLoopAddSource(loop, launch, .defaultMode)
    CFRunLoopSourceSignal(launch)
    CFRunLoopRun()
    return 0
  }
}
