// Paths — how each path is walked.

import CCoverage
import Glibc
import Signalbox
import Synchronization

private let label = "org.signalbox.walks"
/// How often a path is walked before. Each thread then has a stock of nodes, which is in use.
private let rounds = 1_000
private let count = Atomic<Int>(0)
private let isHeld = Atomic<Bool>(false)
private let isWanted = Atomic<Bool>(false)

/// From a call of `async`, while no worker is awake, to the closure.
func walkAsync() {
  let queue = DispatchQueue(label: label)
  let done = DispatchSemaphore(value: 0)
  for _ in 0..<rounds {
    queue.async { done.signal() }
    done.wait()
  }
  begin()
  queue.async { end() }
  leaveToOthers()
}

/// A `sync` that need not wait.
func walkSync() {
  let queue = DispatchQueue(label: label)
  queue.sync {}
  begin()
  queue.sync {}
  end()
}

/// A call of `lock()` that has to wait, and the `unlock()` of the thread that has the lock.
func walkLock() {
  let lock = NSLock()
  let waiting = getpid()
  Thread.detachNewThread {
    while true {
      lock.lock()
      isHeld.store(true, ordering: .releasing)
      while isHeld.load(ordering: .acquiring) || !sleeps(waiting) { sched_yield() }
      lock.unlock()
      while !isWanted.exchange(false, ordering: .acquiring) { sched_yield() }
    }
  }
  for round in 1...5 {
    while !isHeld.load(ordering: .acquiring) { sched_yield() }
    if round == 5 { __llvm_profile_reset_counters() }
    isHeld.store(false, ordering: .releasing)
    lock.lock()
    if round == 5 { end() }
    lock.unlock()
    isWanted.store(true, ordering: .releasing)
  }
}

/// From the scheduling of a repeating timer to its second call.
func walkTimer() {
  let done = DispatchSemaphore(value: 0)
  func start(_ second: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: label))
    count.store(0, ordering: .releasing)
    timer.setEventHandler {
      if count.add(1, ordering: .acquiringAndReleasing).newValue == 2 { second() }
    }
    return timer
  }
  func schedule(_ timer: any DispatchSourceTimer) {
    timer.schedule(deadline: .now() + .milliseconds(1), repeating: .milliseconds(1))
    timer.activate()
  }
  for _ in 0..<3 {
    let timer = start { done.signal() }
    schedule(timer)
    done.wait()
    timer.cancel()
  }
  let timer = start { end() }
  begin()
  schedule(timer)
  withExtendedLifetime(timer) { leaveToOthers() }
}

/// From a call of `addOperation` to the next operation, which the first one adds.
func walkOperation() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  for _ in 0..<rounds {
    queue.addOperation { queue.addOperation {} }
    queue.waitUntilAllOperationsAreFinished()
  }
  begin()
  queue.addOperation { queue.addOperation { end() } }
  leaveToOthers()
}

/// From one call of a repeating timer to the next, in a loop that sleeps between them.
func walkPass() {
  let timer = Timer(timeInterval: 0.002, repeats: true) { _ in
    switch count.add(1, ordering: .acquiringAndReleasing).newValue {
    case 10: begin()
    case 11: end()
    default: break
    }
  }
  RunLoop.main.add(timer, forMode: .default)
  while true { RunLoop.main.run(until: .distantFuture) }
}

/// From a `sync` that is recorded to the page, which is written into the current folder.
func walkEvent() {
  let queue = DispatchQueue(label: label)
  func record() throws {
    queue.sync {}
    try TraceRecorder.write(to: "walk.html")
  }
  do {
    try TraceRecorder.start()
    try record()
    begin()
    try record()
    end()
  } catch {
    fail("\(error)")
  }
}
