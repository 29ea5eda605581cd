import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_15 = Listing(
    "004-15", heading: "Configuring timer sources",
    shows: "a timer made and added by the C names, repeating, then the loop runs forever",
    outcome: "its fire date is in the past, so it fires at once, and then at its interval",
    truth: "forever means until it is stopped; the context's pointer must be retained",
    rows: ["R6", "R9"]
  ) { story in
    // As printed, nothing keeps the object that the pointer is to. The timer is not run here.
    let lost = Transcript()
    let isDangling = onLoopThread { loop in
      var testThread: Document004.TimerOwner? = Document004.TimerOwner(lost)
      let address = ObjectPointer.to(testThread!)
      let timer = Document004.makeTimer(CFRunLoopTimerContext(info: address))
      CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
      testThread = nil
      lost.append("the timer is in the loop")
      var found = CFRunLoopTimerContext()
      CFRunLoopTimerGetContext(timer, &found)
      let isDangling = CFRunLoopTimerIsValid(timer) && found.info == address
      CFRunLoopTimerInvalidate(timer)
      return isDangling
    }
    story.check(
      lost.lines, is: ["the object is released", "the timer is in the loop"],
      "the fault: the object goes, and the timer stays")
    story.check(isDangling, "with the address of what is gone")

    // The repair: the context retains it. Nobody else has it when the loop runs.
    let printed = Transcript()
    let fires = Cell<[UInt64]>([])
    let hasFiredEnough = DispatchSemaphore(value: 0)
    let isStopped = Cell(false)
    let cfRunloop = Cell<CFRunLoop?>(nil)
    let thread = JoinableThread {
      let loop = CFRunLoopGetCurrent()!
      cfRunloop.value = loop
      let start = DispatchTime.now().uptimeNanoseconds
      var owner: Document004.TimerOwner? = Document004.TimerOwner(printed) {
        let count = fires.withValue { fires in
          fires.append(DispatchTime.now().uptimeNanoseconds - start)
          return fires.count
        }
        if count == 12 { hasFiredEnough.signal() }
      }
      let cfRunloopTimer = Document004.makeTimer(
        CFRunLoopTimerContext(
          info: ObjectPointer.to(owner!), retain: ObjectPointer.retain,
          release: ObjectPointer.release))
      owner = nil
      CFRunLoopAddTimer(loop, cfRunloopTimer, kCFRunLoopDefaultMode)
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
      printed.append("after one pass without a sleep")
      CFRunLoopRun()
      printed.append(isStopped.value ? "stopped" : "returned by itself")
      CFRunLoopTimerInvalidate(cfRunloopTimer)
      printed.append("the timer is invalid")
    }
    thread.start()
    hasFiredEnough.wait()
    isStopped.value = true
    CFRunLoopStop(cfRunloop.value)
    thread.join()
    let lines = printed.lines
    for line in lines.prefix(3) + lines.suffix(3) { story.tell("| \(line)") }
    story.check(
      Array(lines.prefix(3)),
      is: ["Fire timer...", "after one pass without a sleep", "Fire timer..."],
      "it fires at once: within one pass that does not sleep")
    // Where others have the processor a fire is late, but it never comes before its place on the
    // grid of the interval.
    let times = fires.value
    story.tell("fired after \(times.prefix(12).map { $0 / 1_000_000 }) ms")
    story.check(
      zip(times, 0...).allSatisfy { $0 >= UInt64(max(0, $1 - 1)) * 10_000_000 },
      "and then at its interval")
    story.check(
      lines.suffix(3), is: ["stopped", "the object is released", "the timer is invalid"],
      "forever is until it is stopped; until then the timer has kept its object")
  }
}

extension Document004 {
  /// The document's `TestThread`, whose address is the context's pointer.
  fileprivate final class TimerOwner: Sendable {
    private let printed: Transcript
    private let hasFired: @Sendable () -> Void

    init(_ printed: Transcript, hasFired: @escaping @Sendable () -> Void = {}) {
      self.printed = printed
      self.hasFired = hasFired
    }

    func timerTask() {
      printed.append("Fire timer...")
      hasFired()
    }

    deinit { printed.append("the object is released") }
  }

  /// A timer whose date, a second after the reference date, is long past.
  fileprivate static func makeTimer(_ context: CFRunLoopTimerContext) -> CFRunLoopTimer {
    var cfRunloopTimerContext = context
    return CFRunLoopTimerCreate(
      kCFAllocatorDefault, 1, 0.01, 0, 0,
      { _, info in ObjectPointer.object(at: info, as: TimerOwner.self).timerTask() },
      &cfRunloopTimerContext)
  }
}

extension CFRunLoopTimerContext {
  fileprivate init(
    info: UnsafeMutableRawPointer,
    retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)? = nil,
    release: ((UnsafeRawPointer?) -> Void)? = nil
  ) {
    self.init(version: 0, info: info, retain: retain, release: release, copyDescription: nil)
  }
}
