// Containers — what a program in a container does: most of the library, its children, and a file
// that it watches. Its standard input is a file.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxRunLoop
import SignalboxThreads

package enum ContainerScenario: String, CountedScenario {
  case mostOfTheLibrary = "most-of-the-library"
  case itemsBesidePollers = "items-beside-pollers"
  case orphans = "orphans"
  case watchedFile = "watched-file"
  case watchedMemory = "watched-memory"
}

extension ContainerScenario: Scenario {
  func run() {
    switch self {
    // Argument: `refused` if the process cannot have a thread for each item that blocks.
    case .mostOfTheLibrary:
      let refusals = arguments.count > 2 ? Refusals() : nil
      useQueues()
      useTimers()
      useSources()
      useFile()
      useRunLoop()
      useOperations()
      blockItems(64, refusals)
      DispatchQueue.main.async {
        report("main", "ran")
        exit(0)
      }
      dispatchMain()
    // Every worker that the process may have sleeps as a poller when the next item comes.
    case .itemsBesidePollers:
      let timer = DispatchSource.makeTimerSource()
      let fired = DispatchSemaphore(value: 0)
      let ran = Tally()
      timer.schedule(deadline: .now())
      timer.setEventHandler { fired.signal() }
      timer.activate()
      // From the first event on there is a backup poller, if a thread is left for it.
      fired.wait()
      timer.schedule(deadline: .now() + .seconds(1000))
      for _ in 0..<20 {
        awaitRest()
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          ran.increment()
          done.signal()
        }
        done.wait()
      }
      report("ran", ran.count)
      timer.schedule(deadline: .now())
      fired.wait()
      report("fired", "after them")
    case .orphans:
      adoptAnOrphan()
    case .watchedFile:
      let told = DispatchSemaphore(value: 0)
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: STDIN_FILENO, eventMask: .write)
      source.setRegistrationHandler { put(1, into: STDIN_FILENO) }
      source.setEventHandler { told.signal() }
      source.setCancelHandler { told.signal() }
      source.activate()
      told.wait()
      report("file", source.isCancelled ? "cancelled" : "told")
    case .watchedMemory:
      let begun = DispatchSemaphore(value: 0)
      let source = DispatchSource.makeMemoryPressureSource(eventMask: .all)
      source.setRegistrationHandler { begun.signal() }
      source.setCancelHandler { begun.signal() }
      source.activate()
      begun.wait()
      report("memory", source.isCancelled ? "cancelled" : "watched")
    }
  }
}

private let serial = DispatchQueue(label: "org.signalbox.facts.serial")

private func useQueues() {
  let concurrent = DispatchQueue(label: "org.signalbox.facts.concurrent", attributes: .concurrent)
  let group = DispatchGroup()
  let inSerial = Tally(), inOrder = Tally(), inConcurrent = Tally(), inGlobal = Tally()
  for number in 1...100 {
    serial.async(group: group) { if inSerial.increment() == number { inOrder.increment() } }
    concurrent.async(group: group) { inConcurrent.increment() }
    DispatchQueue.global().async(group: group) { inGlobal.increment() }
  }
  let notified = DispatchSemaphore(value: 0)
  group.notify(queue: serial) { notified.signal() }
  notified.wait()
  report("serial", inOrder.count)
  report("concurrent", inConcurrent.count)
  report("global", inGlobal.count)
}

private func useTimers() {
  let fired = DispatchSemaphore(value: 0)
  serial.asyncAfter(deadline: .now() + .milliseconds(1)) { fired.signal() }
  fired.wait()
  report("asyncAfter", "ran")
  let timer = DispatchSource.makeTimerSource(queue: serial)
  timer.setEventHandler { fired.signal() }
  timer.schedule(deadline: .now(), repeating: .milliseconds(1))
  timer.activate()
  for _ in 0..<3 { fired.wait() }
  timer.cancel()
  report("timer", "repeated")
}

private func useSources() {
  let told = DispatchSemaphore(value: 0)
  let ends = makePipe()
  let reading = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: serial)
  reading.setEventHandler {
    report("read", reading.data)
    reading.cancel()
  }
  reading.setCancelHandler { told.signal() }
  reading.activate()
  put(1, into: ends.output)
  told.wait()
  let signals = DispatchSource.makeSignalSource(signal: SIGTERM, queue: serial)
  signals.setRegistrationHandler { kill(getpid(), SIGTERM) }
  signals.setEventHandler { told.signal() }
  signals.activate()
  told.wait()
  report("signal", "told")
  signals.cancel()
  // Workers without work may be all the tasks that the process may have. Each ends after a while, and
  // then there is room for a child.
  var child = csc_fork()
  while child < 0 && errno == EAGAIN {
    sleepInKernel(milliseconds: 10)
    child = csc_fork()
  }
  if child < 0 { fail("fork: errno \(errno)") }
  if child == 0 {
    close(ends.output)
    waitForEnd(of: ends.input)
    _exit(7)
  }
  let process = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit, queue: serial)
  process.setEventHandler { told.signal() }
  process.activate()
  // The byte of the read source is still in the pipe; the child ends at the pipe's end.
  close(ends.output)
  told.wait()
  report("child", csc_wait(child))
  process.cancel()
  close(ends.input)
}

private func waitForEnd(of descriptor: Int32) {
  var byte: UInt8 = 0
  while read(descriptor, &byte, 1) > 0 {}
}

private func useFile() {
  let done = DispatchSemaphore(value: 0)
  DispatchIO.read(fromFileDescriptor: STDIN_FILENO, maxLength: .max, runningHandlerOn: serial) {
    report("bytes", $0.count)
    report("error", $1)
    done.signal()
  }
  done.wait()
}

private func useRunLoop() {
  let fired = Tally()
  let thread = JoinableThread {
    let timer = Timer(timeInterval: 0.001, repeats: false) { _ in fired.increment() }
    RunLoop.current.add(timer, forMode: .default)
    while fired.count == 0 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
  }
  thread.start()
  thread.join()
  report("loop", fired.count)
}

private func useOperations() {
  let queue = OperationQueue()
  let ran = Tally()
  let last = BlockOperation { report("operations", ran.count) }
  for _ in 0..<10 {
    let operation = BlockOperation { ran.increment() }
    last.addDependency(operation)
    queue.addOperation(operation)
  }
  queue.addOperation(last)
  queue.waitUntilAllOperationsAreFinished()
}

/// Submits items that each wait at a gate, which opens once all of them wait there, or once the
/// library has reported that no thread is left for more.
private func blockItems(_ count: Int, _ refusals: Refusals?) {
  let gate = DispatchSemaphore(value: 0), areThere = DispatchSemaphore(value: 0)
  let waiting = Tally(), ended = Tally()
  let group = DispatchGroup()
  for _ in 0..<count {
    DispatchQueue.global().async(group: group) {
      if waiting.increment() == count { areThere.signal() }
      gate.wait()
      ended.increment()
    }
  }
  if let refusals {
    refusals.awaitOne()
    // The thread may have been refused to earlier work.
    while waiting.count == 0 { sleepInKernel(milliseconds: 1) }
  } else {
    areThere.wait()
  }
  report("waiting", waiting.count)
  for _ in 0..<count { gate.signal() }
  group.wait()
  report("ended", ended.count)
}

/// Reads what the library writes to standard error, until it reports that a thread was refused.
private final class Refusals {
  private let original = dup(STDERR_FILENO)
  private let errors: Int32

  init() {
    let ends = makePipe()
    dup2(ends.output, STDERR_FILENO)
    close(ends.output)
    errors = ends.input
  }

  /// Passes everything on to the original standard error, which the process then has again.
  func awaitOne() {
    var text = ""
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !text.contains("the system refused a thread") {
      let count = read(errors, &chunk, chunk.count)
      if count <= 0 || write(original, chunk, count) != count { fail("standard error has ended") }
      text += String(decoding: chunk[..<count], as: UTF8.self)
    }
    dup2(original, STDERR_FILENO)
  }
}

/// A child ends before its own child, which is then the first process's. The library watches the
/// one and takes the status of neither.
private func adoptAnOrphan() {
  report("process", getpid())
  let ends = makePipe()
  let child = csc_fork()
  if child == 0 {
    close(ends.output)
    if csc_fork() != 0 { _exit(7) }
    waitForEnd(of: ends.input)
    _exit(9)
  }
  let told = DispatchSemaphore(value: 0)
  let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
  source.setEventHandler { told.signal() }
  source.activate()
  told.wait()
  report("child", csc_wait(child))
  close(ends.output)
  report("orphan", csc_wait(-1))
  report("more", csc_wait(-1))
}
