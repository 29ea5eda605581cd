// Reports — reports requested from outside, by a signal or the environment, and reports while
// the process forks.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxRunLoop
import SignalboxRuntime
import SignalboxTrace

package enum ReportScenario: String, CountedScenario {
  case reportOnSignal = "report-on-signal"
  case reportWhileEveryWorkerWaits = "report-while-every-worker-waits"
  case reportByEnvironment = "report-by-environment"
  case reportToAMissingFolder = "report-to-a-missing-folder"
  case reportNotAsked = "report-not-asked"
  case namesOfWorkers = "names-of-workers"
  case forkWhileReportsAreMade = "fork-while-reports-are-made"
  case forkWhileOperationsAreMade = "fork-while-operations-are-made"
  case forkWhileQueuesAreMade = "fork-while-queues-are-made"
}

extension ReportScenario: Scenario {
  func run() {
    switch self {
    case .reportOnSignal:
      let errors = readableStandardError()
      SignalboxReport.printOnSignal(SIGUSR2)
      report("caught", isCaught(SIGUSR2))
      let queue = suspendedQueue()
      for _ in 0..<2 {
        kill(getpid(), SIGUSR2)
        readUntil("the queue \"org.signalbox.facts.report\" (serial) holds 2 items", from: errors)
      }
      SignalboxReport.stopPrinting(onSignal: SIGUSR2)
      while isCaught(SIGUSR2) { sched_yield() }
      report("given-back", 1)
      queue.resume()
    case .reportWhileEveryWorkerWaits:
      let errors = readableStandardError()
      SignalboxReport.printOnSignal(SIGUSR2)
      let gate = DispatchSemaphore(value: 0)
      let begun = Tally()
      let pipe = makePipe()
      for place in 0..<8 {
        DispatchQueue.global().async {
          begun.increment()
          var byte: UInt8 = 0
          // Items alternate between a wait that the pool sees and one that it does not see.
          if place % 2 == 0 { gate.wait() } else { _ = read(pipe.input, &byte, 1) }
        }
      }
      while begun.count < 8 { sched_yield() }
      kill(getpid(), SIGUSR2)
      readUntil("waits for a signal of a semaphore made with 0", from: errors)
      report("came", 1)
    case .reportByEnvironment:
      let path = CommandLine.arguments[2]
      let queue = suspendedQueue()
      report("caught", isCaught(SIGUSR2))
      for count in 1...2 {
        kill(getpid(), SIGUSR2)
        while lines(of: path).count < count { sched_yield() }
      }
      for (place, line) in lines(of: path).enumerated() { report("json-\(place)", line) }
      queue.resume()
    case .reportToAMissingFolder:
      let errors = readableStandardError()
      kill(getpid(), SIGUSR2)
      readUntil("SIGNALBOX: no report was written to ", from: errors)
      report("said", 1)
    case .reportNotAsked:
      report("caught", isCaught(SIGUSR2))
      report("threads", threadNumbers().count)
    // The kernel's thread names show which queue each worker drains.
    case .namesOfWorkers:
      let serial = DispatchQueue(label: "org.example.db.writer")
      let concurrent = DispatchQueue(label: "with a very long label", attributes: .concurrent)
      for (name, queue) in [("serial", serial), ("concurrent", concurrent), ("global", .global())] {
        let ended = DispatchSemaphore(value: 0)
        queue.async {
          report(name, kernelName())
          ended.signal()
        }
        ended.wait()
      }
      report("main", kernelName())
      // Idle workers have their own names again.
      while threadNumbers().map({ kernelName("self/task/\($0)") })
        .contains(where: { !$0.hasPrefix("sb-") && $0 != "CountedFacts" })
      {
        sched_yield()
      }
    // Each of the bodies takes one of the locks in question as often as it can.
    case .forkWhileReportsAreMade:
      forkWhile([{ _ = SignalboxReport.json }, { useEveryReport() }])
    case .forkWhileOperationsAreMade:
      forkWhile([{ for _ in 0..<100 { _ = OperationQueue() } }, { dependOnEachOther() }])
    case .forkWhileQueuesAreMade:
      forkWhile([{ makeQueues() }, { makeQueues() }])
    }
  }
}

/// The name of a thread in the kernel's list; the default is the calling thread.
private func kernelName(_ thread: String = "thread-self") -> String {
  contents(of: "/proc/\(thread)/comm").map { String($0.dropLast()) } ?? ""
}

/// Makes queues, operations that depend on each other, and reports of them.
private func useEveryReport() {
  let queue = DispatchQueue(label: "org.signalbox.facts.report")
  queue.suspend()
  queue.async {}
  let operations = OperationQueue()
  operations.name = "org.signalbox.facts.operations"
  operations.isSuspended = true
  let (first, last) = (BlockOperation {}, BlockOperation {})
  last.addDependency(first)
  let flight = AsynchronousOperation { finish in finish() }
  operations.addOperations([first, last, flight], waitUntilFinished: false)
  let now = SignalboxReport.now
  // Other threads have such queues too.
  if !now.queues.contains(where: { $0.label == "org.signalbox.facts.report" }) { _exit(31) }
  if !now.operationQueues.contains(where: { $0.name == "org.signalbox.facts.operations" }) {
    _exit(32)
  }
  if now.json.isEmpty || now.text.isEmpty { _exit(33) }
  operations.isSuspended = false
  operations.waitUntilAllOperationsAreFinished()
  queue.resume()
  queue.sync {}
}

/// Forks at most as often as the argument says while threads run each of the bodies repeatedly.
/// Reports how many of the children did not end.
private func forkWhile(_ bodies: [@Sendable () -> Void]) {
  // The first use of a type in a child may need a lock of the Swift runtime that another thread
  // held at the fork, so everything is used before.
  useAllThatReportsShow()
  dependOnEachOther()
  makeQueues()
  let (isOver, rounds) = (Tally(), Tally())
  let ended = DispatchSemaphore(value: 0)
  for body in bodies {
    onForeignThread {
      // No thread is in the middle of a first use when the process forks.
      for _ in 0..<5 { body() }
      rounds.increment()
      while isOver.count == 0 { body() }
      ended.signal()
    }
  }
  while rounds.count < bodies.count { sched_yield() }
  var failed = 0
  // Each child makes reports: on a busy machine there are fewer.
  let end = Clock.uptime.now + 20_000_000_000
  for _ in 0..<integerArgument(0, default: 60) where Clock.uptime.now < end {
    let child = csc_fork()
    if child == 0 {
      alarm(30)
      useEveryReport()
      makeQueues()
      dependOnEachOther()
      _exit(0)
    }
    if csc_wait(child) != 0 { failed += 1 }
  }
  isOver.increment()
  for _ in bodies { ended.wait() }
  report("failed", failed)
}

/// Makes reports of a process that has one object of every kind.
private func useAllThatReportsShow() {
  _ = CFRunLoopGetCurrent()
  let (gate, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  onForeignThread {
    gate.wait()
    gone.signal()
  }
  DispatchQueue.global().async { gone.signal() }
  gone.wait()
  let item = DispatchWorkItem {}
  DispatchQueue(label: "org.signalbox.facts.later").asyncAfter(
    deadline: .now() + 3600, execute: item)
  while true {
    let now = SignalboxReport.now
    let isComplete =
      now.threads.contains { $0.wait != nil } && !now.timers.isEmpty && !now.runLoops.isEmpty
      && !now.pools.isEmpty
    if isComplete && !now.json.isEmpty && !now.text.isEmpty { break }
    sched_yield()
  }
  item.cancel()
  useEveryReport()
  gate.signal()
  gone.wait()
}

/// Makes so many queues that every list of queues has some.
private func makeQueues() {
  for _ in 0..<200 { _ = DispatchQueue(label: "org.signalbox.facts.short") }
}

private func dependOnEachOther() {
  let (first, last) = (BlockOperation {}, BlockOperation {})
  for _ in 0..<100 {
    last.addDependency(first)
    last.removeDependency(first)
  }
}

private func suspendedQueue() -> DispatchQueue {
  let queue = DispatchQueue(label: "org.signalbox.facts.report")
  queue.suspend()
  for _ in 0..<2 { queue.async {} }
  return queue
}

/// Whether the signal has a handler.
private func isCaught(_ signal: Int32) -> Bool {
  var action = sigaction()
  sigaction(signal, nil, &action)
  // SAFETY: a function's address, only compared.
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) > 1
}

/// Replaces standard error with a pipe, and returns its reading end.
private func readableStandardError() -> Int32 {
  let ends = makePipe()
  dup2(ends.output, STDERR_FILENO)
  close(ends.output)
  return ends.input
}

private func readUntil(_ words: String, from descriptor: Int32) {
  var found = ""
  var chunk = [UInt8](repeating: 0, count: 4096)
  while !found.contains(words) || !found.hasSuffix("\n") {
    let count = read(descriptor, &chunk, chunk.count)
    if count <= 0 { fail("standard error has ended") }
    found += String(decoding: chunk[..<count], as: UTF8.self)
  }
}

/// Returns the complete lines of a file.
private func lines(of path: String) -> [String] {
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var lines: [String] = []
  var line: UnsafeMutablePointer<CChar>?
  var room = 0
  defer { free(line) }
  while getline(&line, &room, file) > 0, let text = line.map({ String(cString: $0) }) {
    if text.hasSuffix("\n") { lines.append(String(text.dropLast())) }
  }
  return lines
}
