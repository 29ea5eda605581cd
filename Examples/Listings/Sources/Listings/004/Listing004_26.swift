import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_26 = Listing(
    "004-26", heading: "Input sources: perform",
    shows: "perform on another thread, waiting or not, in modes",
    outcome: "it runs on the named thread, which must have a running loop",
    truth:
      "a thread that waits for a thread without a running loop, or for one that ends, gets "
      + "an error",
    rows: ["T5", "R2"]
  ) { story in
    let target = LoopThread()
    let own = Cell<UInt>(0)
    target.run { own.value = Place.thread }
    let ranOn = Cell<[UInt]>([])
    let order = Transcript()
    let mayRun = DispatchSemaphore(value: 0)
    try Thread.perform(on: target.thread, waitUntilDone: false) {
      mayRun.wait()
      ranOn.withValue { $0.append(Place.thread) }
      order.append("performed")
    }
    order.append("not waited")
    mayRun.signal()
    try Thread.perform(on: target.thread, waitUntilDone: true) {
      ranOn.withValue { $0.append(Place.thread) }
      order.append("performed again")
    }
    order.append("waited")
    let modal = RunLoop.Mode("modal")
    try Thread.perform(on: target.thread, waitUntilDone: false, modes: [modal]) {
      order.append("performed in the modal mode")
    }
    try Thread.perform(on: target.thread, waitUntilDone: true) {
      order.append("performed in the default mode")
      RunLoop.current.run(mode: modal, before: .distantPast)
    }
    target.end()
    story.tell(order)
    story.check(ranOn.value, is: [own.value, own.value], "both on the thread that was named")
    story.check(
      order.lines,
      is: [
        "not waited", "performed", "performed again", "waited", "performed in the default mode",
        "performed in the modal mode",
      ], "the caller waits or goes on; a mode is waited for")

    // The fault, without its deadlock.
    let isOver = DispatchSemaphore(value: 0)
    let loopless = JoinableThread { isOver.wait() }
    loopless.start()
    let ran = Cell(0)
    story.check(
      Document004.refusal(of: loopless.thread, ran), is: .noRunningLoop,
      "the fault: a wait for a thread that runs no loop is given up")
    isOver.signal()
    loopless.join()
    story.check(
      Document004.refusal(of: loopless.thread, ran), is: .threadEnded,
      "so is one for a thread that has ended")
    story.check(ran.value, is: 0, "and nothing is performed after all")
  }
}

extension Document004 {
  /// Waits for a perform on the thread.
  ///
  /// - Returns: why it was refused; nil if it was not.
  static func refusal(of thread: Thread, _ ran: Cell<Int>) -> PerformError? {
    do throws(PerformError) {
      try Thread.perform(on: thread, waitUntilDone: true) { ran.withValue { $0 += 1 } }
      return nil
    } catch {
      return error
    }
  }
}
