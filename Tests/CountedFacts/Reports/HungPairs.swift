// HungPairs — two threads, each of which holds a thing and waits for the other one's; see `Hung`.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxOperations
import SignalboxRunLoop
import SignalboxRuntime
import SignalboxThreads

package enum HungPairScenario: String, CountedScenario {
  /// Arguments: the two things.
  case hungPair = "hung-pair"
}

/// What a thread can hold, and another one wait for.
package enum HungThing: String, CaseIterable, Sendable {
  case queue, lock, group, join, operation, semaphore
  case runLoop = "run-loop"
  case main
}

extension HungPairScenario: Scenario {
  func run() {
    LongWait.delay.store(.max, ordering: .relaxed)
    let things = CommandLine.arguments.dropFirst(2).compactMap(HungThing.init)
    guard things.count == 2 else { fail("which two things?") }
    let first = Held(things[0], "hung.first"), second = Held(things[1], "hung.second")
    let meeting = Crossing()
    first.hold {
      meeting.first()
      second.wait()
    }
    second.hold {
      meeting.second()
      first.wait()
    }
    report("hangs", 1)
    if things.contains(.main) { dispatchMain() }
    withExtendedLifetime((first, second)) { while true { pause() } }
  }
}

/// A thing that a thread holds while it runs a function.
// SAFETY: what changes is set before the thread that holds the thing is started. The other one reads it after both
// have met.
private final class Held: @unchecked Sendable {
  private let thing: HungThing
  private let label: String
  private let queue: DispatchQueue
  private let lock = NSLock()
  private let group = DispatchGroup()
  private let semaphore = DispatchSemaphore(value: 0)
  private let operations = OperationQueue()
  private var operation: Operation?
  private var joined: JoinableThread<Void, Never>?
  private var looping: Thread?

  init(_ thing: HungThing, _ label: String) {
    self.thing = thing
    self.label = label
    queue = DispatchQueue(label: label)
    lock.name = label
  }

  func hold(_ body: @escaping @Sendable () -> Void) {
    switch thing {
    case .queue: queue.async { body() }
    case .lock:
      start { [lock] in
        lock.lock()
        body()
      }
    case .group: DispatchQueue.global().async(group: group) { body() }
    case .join:
      let thread = JoinableThread { body() }
      joined = thread
      thread.start()
    case .operation:
      let operation = BlockOperation { body() }
      self.operation = operation
      operations.addOperation(operation)
    // Nothing is held.
    case .semaphore: start(body)
    case .runLoop:
      let thread = Thread {
        // So that the loop has something to wait for.
        RunLoop.current.add(Port(), forMode: .default)
        RunLoop.current.perform { body() }
        while true { RunLoop.current.run(mode: .default, before: .distantFuture) }
      }
      looping = thread
      start(thread)
    case .main: DispatchQueue.main.async { body() }
    }
  }

  func wait() {
    switch thing {
    case .queue: queue.sync {}
    case .lock: lock.lock()
    case .group: group.wait()
    case .join: joined?.join()
    case .operation: operation?.waitUntilFinished()
    case .semaphore: semaphore.wait()
    case .runLoop:
      guard let thread = looping else { fail("no thread") }
      do { try Thread.perform(on: thread, waitUntilDone: true) {} } catch { fail("\(error)") }
    case .main: DispatchQueue.main.sync {}
    }
  }

  private func start(_ body: @escaping @Sendable () -> Void) { start(Thread(block: body)) }

  private func start(_ thread: Thread) {
    thread.name = label
    thread.start()
  }
}
