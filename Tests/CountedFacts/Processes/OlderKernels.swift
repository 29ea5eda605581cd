// OlderKernels — work of every kind while the system refuses calls, as an older kernel does.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxRunLoop
import SignalboxTrace

package enum OlderKernelScenario: String, CountedScenario {
  case onAnOlderKernel = "on-an-older-kernel"
  case workOfEveryKind = "work-of-every-kind"
}

extension OlderKernelScenario: Scenario {
  func run() {
    switch self {
    // Arguments: the number of the first call that does not exist, a program and its arguments. The
    // program begins with the calls refused, and so do the C library and Swift's in it.
    case .onAnOlderKernel:
      let error = csc_refuse_newer(Int32(integerArgument(0, default: 0)))
      if error != 0 { fail("seccomp: \(error)") }
      var words = CommandLine.arguments.dropFirst(3).map { strdup($0) } + [nil]
      execv(CommandLine.arguments[3], &words)
      fail("execv: \(errno)")
    // Arguments: none, or a call that is refused, and with which errno.
    case .workOfEveryKind:
      if CommandLine.arguments.count > 2 {
        let error = csc_refuse(CommandLine.arguments[2], Int32(integerArgument(1, default: 0)))
        if error != 0 { fail("seccomp: \(error)") }
      }
      for number in [424, 434, 441] {
        report("hasCall\(number)", csc_error_of_call(Int32(number)) != ENOSYS)
      }
      runItems()
      runTimers()
      useSources()
      useChannels()
      useRunLoop()
      watchChild()
      makeReport()
      DispatchQueue.main.async { report("main", "ran") }
      DispatchMainQueueHost.drain()
    }
  }
}

private func runItems() {
  let ran = Tally()
  let group = DispatchGroup()
  let queue = DispatchQueue(label: "org.signalbox.facts.items")
  for number in 0..<100 {
    (number % 2 == 0 ? queue : .global()).async(group: group) { ran.increment() }
  }
  group.wait()
  queue.sync { report("items", ran.count) }
}

private func runTimers() {
  let fired = DispatchSemaphore(value: 0)
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { fired.signal() }
  let timer = DispatchSource.makeTimerSource()
  timer.setEventHandler { fired.signal() }
  timer.schedule(wallDeadline: .now() + .milliseconds(1))
  timer.activate()
  for _ in 0..<2 { fired.wait() }
  timer.cancel()
  report("timers", "fired")
}

/// A source for reading, one for a signal, and one for a file.
private func useSources() {
  let told = DispatchSemaphore(value: 0)
  let ends = makePipe()
  let reading = DispatchSource.makeReadSource(fileDescriptor: ends.input)
  reading.setEventHandler {
    var byte: UInt8 = 0
    if read(ends.input, &byte, 1) == 1 { told.signal() }
  }
  let signal = DispatchSource.makeSignalSource(signal: SIGUSR1)
  signal.setEventHandler { told.signal() }
  let folder = temporaryFolder()
  let descriptor = open("\(folder)/file", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
  let file = DispatchSource.makeFileSystemObjectSource(
    fileDescriptor: descriptor, eventMask: .write)
  file.setEventHandler { told.signal() }
  let sources: [any DispatchSourceProtocol] = [reading, signal, file]
  for source in sources {
    let begun = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { begun.signal() }
    source.activate()
    begun.wait()
  }
  put(1, into: ends.output)
  told.wait()
  report("reading", "told")
  kill(getpid(), SIGUSR1)
  told.wait()
  report("signal", "told")
  put(1, into: descriptor)
  told.wait()
  report("file", "told")
  for source in sources { source.cancel() }
  unlink("\(folder)/file")
  rmdir(folder)
}

/// Sends more through a pipe than it holds, with a channel at each end.
private func useChannels() {
  let ends = makePipe()
  let queue = DispatchQueue(label: "org.signalbox.facts.channels")
  let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
  let data = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
  let over = DispatchSemaphore(value: 0)
  let errors = Tally(), same = Tally()
  let writer = DispatchIO(type: .stream, fileDescriptor: ends.output, queue: queue) { _ in }
  writer.write(offset: 0, data: data, queue: queue) { done, _, error in
    if error != 0 { errors.increment() }
    if done { over.signal() }
  }
  let reader = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in }
  reader.read(offset: 0, length: bytes.count, queue: queue) { done, data, error in
    if error != 0 { errors.increment() }
    if let data, bytes[same.count...].starts(with: data) { same.add(data.count) }
    if done { over.signal() }
  }
  for _ in 0..<2 { over.wait() }
  writer.close()
  reader.close()
  report("channels", errors.count == 0 && same.count == bytes.count)
}

/// The loop sleeps with a deadline: a timer ends the first sleep, another thread the second one.
private func useRunLoop() {
  let mode = CFRunLoopMode("org.signalbox.facts.loop")
  let loop = CFRunLoopGetCurrent()!
  let begun = milliseconds()
  let fired = Tally()
  CFRunLoopAddTimer(
    loop,
    CFRunLoopTimerCreateWithHandler(
      kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 0.02, 0, 0, 0
    ) { _ in fired.increment() }, mode)
  let isTimed = CFRunLoopRunInMode(mode, eventTimeout / 1e3, false) == .finished
  report("loopTimer", isTimed && fired.count == 1 && milliseconds() - begun >= 19)
  let performed = Tally()
  var context = CFRunLoopSourceContext()
  context.perform = { _ in }
  let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
  CFRunLoopAddSource(loop, source, mode)
  DispatchQueue.global().async {
    while !CFRunLoopIsWaiting(loop) { sched_yield() }
    performed.increment()
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
  }
  let isWoken = CFRunLoopRunInMode(mode, eventTimeout / 1e3, true) == .handledSource
  report("loopWakeUp", isWoken && performed.count == 1)
  CFRunLoopSourceInvalidate(source)
}

private func watchChild() {
  let child = csc_fork()
  if child == 0 { while true { pause() } }
  let over = DispatchSemaphore(value: 0)
  let ends = Tally()
  let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
  source.setRegistrationHandler { kill(child, SIGKILL) }
  source.setEventHandler {
    ends.increment()
    over.signal()
  }
  source.setCancelHandler { over.signal() }
  source.activate()
  over.wait()
  report("child", ends.count == 1 ? "told" : "refused")
  kill(child, SIGKILL)
  report("status", csc_wait(child))
  source.cancel()
}

/// A report has a queue with an item, and a thread with what it waits for.
private func makeReport() {
  let queue = DispatchQueue(label: "org.signalbox.facts.held")
  queue.suspend()
  queue.async {}
  let gate = DispatchSemaphore(value: 0)
  startThread { gate.wait() }
  wait { SignalboxReport.now.threads.contains { $0.wait != nil } }
  let now = SignalboxReport.now
  report(
    "report",
    now.text.contains("org.signalbox.facts.held") && now.threads.contains { $0.wait != nil })
  gate.signal()
  queue.resume()
}
