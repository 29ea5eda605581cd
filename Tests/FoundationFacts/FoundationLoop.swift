// FoundationLoop — Foundation's own main run loop, run by Foundation itself or by a library, serves
// the main queue and the main run loop.

import CoreFoundation
import SignalboxFoundation

let foundationLoopScenarios: [String: Scenario] = [
  "process-waits": {
    let errands = Errands()
    // It ends when its input ends.
    let process = Process()
    let input = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    process.standardInput = input
    try! process.run()
    errands.begin { input.fileHandleForWriting.closeFile() }
    process.waitUntilExit()
    errands.report()
    report("status", process.terminationStatus)
  },

  "foundations-loop-runs": {
    let errands = Errands()
    errands.begin { CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain()) }
    CoreFoundation.CFRunLoopRun()
    errands.report()
  },

  "foundations-loop-was-running-before": {
    // Nothing of ours is in use when the run begins.
    let errands = Errands()
    startThread {
      let main = CoreFoundation.CFRunLoopGetMain()
      while !CoreFoundation.CFRunLoopIsWaiting(main) { sleepInKernel(milliseconds: 1) }
      DispatchQueue.main.async {
        errands.begin { CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain()) }
      }
    }
    // On other threads, a loop with nothing to wait for would end at once; here it does not.
    CoreFoundation.CFRunLoopRun()
    errands.report()
  },

  "a-stream-is-read": {
    let errands = Errands()
    let stream = ByteStream()
    errands.begin { stream.end() }
    stream.read()
    errands.report()
    report("bytes", stream.count > 0)
  },

  "passes-that-do-not-wait": {
    let errands = Errands()
    let isDone = Tally()
    errands.begin { isDone.increment() }
    while isDone.count == 0 {
      _ = Foundation.RunLoop.main.run(mode: .default, before: .distantPast)
    }
    errands.report()
  },

  "nested-runs": {
    // A timer of our main loop waits for a process while the main queue is served. It is also
    // served within a source of Foundation's.
    let errands = Errands()
    let inner = Errands()
    RunLoop.main.perform {
      let process = Process()
      let input = Pipe()
      process.executableURL = URL(fileURLWithPath: "/bin/cat")
      process.standardInput = input
      try! process.run()
      inner.begin { input.fileHandleForWriting.closeFile() }
      process.waitUntilExit()
      report("inner", inner.strays.count)
      errands.begin { CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain()) }
    }
    CoreFoundation.CFRunLoopRun()
    errands.report()
  },

  "a-run-of-ours-within": {
    // A callback of Foundation's runs our own loop, which serves both main queues.
    let errands = Errands()
    let theirs = Tally()
    let timer = Foundation.Timer(timeInterval: 0.001, repeats: false) { _ in
      errands.begin { CFRunLoopStop(SignalboxRunLoop.CFRunLoopGetMain()) }
      Dispatch.DispatchQueue.main.async { theirs.increment() }
      while theirs.count < 1 {
        SignalboxRunLoop.RunLoop.main.run(mode: .default, before: .distantFuture)
      }
      SignalboxRunLoop.CFRunLoopRun()
      CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain())
    }
    Foundation.RunLoop.main.add(timer, forMode: .common)
    CoreFoundation.CFRunLoopRun()
    errands.report()
    report("theirs", theirs.count)
  },

  "a-stop-of-our-loop-stops-the-host": {
    DispatchQueue.main.async { CFRunLoopStop(SignalboxRunLoop.CFRunLoopGetMain()) }
    CoreFoundation.CFRunLoopRun()
    report("stopped", 1)
  },

  "an-item-waits-for-a-process": {
    // No other item of the main queue begins within an item, but the main loop is served.
    let order = Notes()
    DispatchQueue.main.async {
      DispatchQueue.main.async { order.add("second") }
      let process = Process()
      let input = Pipe()
      process.executableURL = URL(fileURLWithPath: "/bin/cat")
      process.standardInput = input
      try! process.run()
      Thread.detachNewThread {
        let perform: @Sendable () -> Void = { order.add("perform") }
        // The call gives up if the main loop is not served for a second.
        while (try? Thread.performOnMainThread(waitUntilDone: true, block: perform)) == nil {}
        input.fileHandleForWriting.closeFile()
      }
      process.waitUntilExit()
      order.add("first")
      DispatchQueue.main.async {
        CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain())
      }
    }
    CoreFoundation.CFRunLoopRun()
    report("order", order.all.joined(separator: ","))
  },

  "dispatch-main-and-a-process": {
    let order = Notes()
    DispatchQueue.main.async {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/true")
      try! process.run()
      process.waitUntilExit()
      order.add("waited")
      DispatchQueue.main.async {
        order.add("next")
        report("order", order.all.joined(separator: ","))
        exit(0)
      }
    }
    dispatchMain()
  },

  "both-main-queues-are-served-in-order": {
    // Neither main queue is served twice or starves the other.
    let order = Notes()
    Thread.detachNewThread {
      for step in 0..<100 {
        DispatchQueue.main.async { order.add("o\(step)") }
        Dispatch.DispatchQueue.main.async { order.add("t\(step)") }
      }
      Dispatch.DispatchQueue.main.async {
        DispatchQueue.main.async {
          CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain())
        }
      }
    }
    CoreFoundation.CFRunLoopRun()
    for kind in ["o", "t"] {
      report(kind, order.all.filter { $0.hasPrefix(kind) } == (0..<100).map { "\(kind)\($0)" })
    }
  },

  "wake-ups-while-foundations-loop-is-idle": {
    let errands = Errands()
    let before = Tally()
    let after = Tally()
    // Work that is due much later causes no wake-up before.
    RunLoop.main.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: .common)
    DispatchQueue.main.asyncAfter(deadline: .now() + 3600) {}
    errands.begin {
      Thread.detachNewThread {
        // It has come to rest when it sleeps, and a second has brought it no switch: a thread that
        // is ready to run brings none either. A loop that is woken every second never comes to
        // rest, and the test ends the program.
        var switches = -1
        while !firstThreadSleeps() || switches != switchesOfFirstThread() {
          switches = switchesOfFirstThread()
          sleepInKernel(seconds: 1)
        }
        before.add(switches)
        sleepInKernel(seconds: integerArgument(0, default: 3))
        after.add(switchesOfFirstThread())
        DispatchQueue.main.async {
          CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain())
        }
      }
    }
    CoreFoundation.CFRunLoopRun()
    report("wakeUps", after.count - before.count)
    report("threads", threadNumbers().count)
  },
]

/// Records what ran on the main thread.
private final class Notes: @unchecked Sendable {
  // SAFETY: used on the main thread only, which `add` checks.
  private(set) var all: [String] = []

  func add(_ note: String) { if Thread.isMainThread { all.append(note) } }
}

/// A stream of bytes that Foundation's main loop reads, one in each pass, as a library does
/// that knows only Foundation. Streams of Foundation's own class never call their delegates.
// SAFETY: used on the main thread only.
private final class ByteStream: @unchecked Sendable {
  private(set) var count = 0
  private let bytes: [UInt8] = Array(repeating: 1, count: 4_000_000)
  private var isOver = false

  func end() { isOver = true }

  /// Reads until `end()`, or until all bytes are read.
  func read() {
    let stream = CFReadStreamCreateWithBytesNoCopy(nil, bytes, bytes.count, kCFAllocatorNull)!
    var context = CFStreamClientContext()
    // SAFETY: the object outlives the stream, which is closed below.
    context.info = Unmanaged.passUnretained(self).toOpaque()
    let events: [CFStreamEventType] = [.hasBytesAvailable, .endEncountered]
    CFReadStreamSetClient(
      stream, CFOptionFlags(events.reduce(0) { $0 | $1.rawValue }),
      { stream, event, me in
        // SAFETY: as above.
        Unmanaged<ByteStream>.fromOpaque(me!).takeUnretainedValue().handle(stream!, event)
      }, &context)
    CFReadStreamScheduleWithRunLoop(
      stream, CoreFoundation.CFRunLoopGetMain(), CoreFoundation.kCFRunLoopDefaultMode)
    CFReadStreamOpen(stream)
    CoreFoundation.CFRunLoopRun()
    CFReadStreamClose(stream)
  }

  private func handle(_ stream: CFReadStream, _ event: CFStreamEventType) {
    var byte: UInt8 = 0
    if event == .hasBytesAvailable && !isOver {
      count += CFReadStreamRead(stream, &byte, 1)
    } else {
      CoreFoundation.CFRunLoopStop(CoreFoundation.CFRunLoopGetMain())
    }
  }
}

private func statusOfFirstThread() -> String {
  contents(of: "/proc/self/task/\(getpid())/status") ?? ""
}

private func firstThreadSleeps() -> Bool { statusOfFirstThread().contains("State:\tS") }

private func switchesOfFirstThread() -> Int {
  statusOfFirstThread().split(separator: "\n").reduce(0) { sum, line in
    guard line.contains("ctxt_switches:") else { return sum }
    return sum + (Int(line.split(whereSeparator: { $0 == "\t" || $0 == " " })[1]) ?? 0)
  }
}
