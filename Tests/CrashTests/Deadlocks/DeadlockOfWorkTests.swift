// Threads that wait for the end of work which waits for them: groups, work
// items, once, loops, and what a lock to come will say.

import CSignalbox
import Glibc
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("a deadlock through work that is waited for traps")
struct DeadlockOfWorkTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Groups

    Misuse(
      "the item of a group is behind the waiter", waitsFor: "group", "waits behind", ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      queue.async {
        let group = DispatchGroup()
        queue.async {}
        queue.async(group: group) {}
        group.wait()
      }
      Trap.waitForIt()
    }
    Misuse(
      "the item of a group is in a queue that targets the waiter's queue", waitsFor: "group",
      "waits behind", ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      let upper = DispatchQueue(label: "dead.upper", attributes: .concurrent, target: queue)
      queue.sync {
        let group = DispatchGroup()
        upper.async(group: group) {}
        group.wait()
      }
    }
    Misuse(
      "the item of a group is behind a barrier that is behind the waiter", waitsFor: "group",
      "waits behind", ["dead.readers"]
    ) {
      let queue = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      queue.async {
        let group = DispatchGroup()
        queue.async(flags: .barrier) {}
        queue.async(group: group) {}
        group.wait()
      }
      Trap.waitForIt()
    }
    // The third thread closes the cycle, and no wait begins at that moment.
    Misuse(
      "a third thread submits the item of a group behind the waiter", waitsFor: "group",
      "waits behind", ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      let group = DispatchGroup()
      group.enter()
      queue.async { group.wait() }
      untilReported("for a group")
      letRealTimePass(RealTime.settling * 2)
      queue.async(group: group) {}
      group.leave()
      Trap.waitForIt()
    }
    Misuse(
      "a running item of a group wants the waiter's queue", waitsFor: "group", "run by",
      ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      queue.sync {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { queue.sync {} }
        group.wait()
      }
    }
    Misuse(
      "a work item in a group wants the waiter's queue", waitsFor: "group", "run by", ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      queue.sync {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group, execute: DispatchWorkItem { queue.sync {} })
        group.wait()
      }
    }
    // a waits for the group, the group's item waits for c, and c waits for a.
    Misuse(
      "three threads wait for a group and two queues in a cycle", waitsFor: "group", "run by",
      ["dead.a", "dead.b", "dead.c"]
    ) {
      let a = DispatchQueue(label: "dead.a")
      let b = DispatchQueue(label: "dead.b")
      let c = DispatchQueue(label: "dead.c")
      let group = DispatchGroup()
      let meeting = Meeting(3)
      _ = try PlainThread {
        c.sync {
          meeting.meet()
          a.sync {}
        }
      }
      b.async(group: group) {
        meeting.meet()
        c.sync {}
      }
      a.sync {
        meeting.meet()
        group.wait()
      }
    }

    // MARK: Work items

    Misuse(
      "a work item is behind its waiter", reports: "work item", "waits behind", "dead.queue",
      "performs the work item"
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      queue.async {
        let item = DispatchWorkItem {}
        queue.async(execute: item)
        item.wait()
      }
      Trap.waitForIt()
    }
    Misuse(
      "a running work item wants the waiter's queue", waitsFor: "work item", "run by",
      ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      queue.sync {
        let item = DispatchWorkItem { queue.sync {} }
        DispatchQueue.global().async(execute: item)
        item.wait()
      }
    }
    Misuse(
      "a thread in sync cannot start the work item that its queue waits for", reports: "work item",
      "run by", "dead.queue", "performs the work item"
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      queue.sync {
        let item = DispatchWorkItem {}
        nonisolated(unsafe) let other = item  // SAFETY: an item may be used from any thread.
        _ = try? PlainThread { queue.sync(execute: other) }
        item.wait()
      }
    }

    // MARK: Interruption

    // The signals arrive more often than a wait searches for a cycle.
    Misuse(
      "signals interrupt the waiter of a group whose item is behind it", waitsFor: "group",
      "waits behind", ["dead.queue"]
    ) {
      signal(SIGUSR1) { _ in }
      let queue = DispatchQueue(label: "dead.queue")
      let waiter = pthread_self()
      _ = try PlainThread {
        while true {
          pthread_kill(waiter, SIGUSR1)
          sched_yield()
        }
      }
      queue.sync {
        let group = DispatchGroup()
        queue.async(group: group) {}
        group.wait()
      }
    }

    // MARK: Once and loops

    Misuse(
      "a once and a queue wait for each other", waitsFor: "DispatchOnce", "held by", ["dead.queue"]
    ) {
      let queue = DispatchQueue(label: "dead.queue")
      let once = DispatchOnce()
      let meeting = Meeting(2)
      _ = try PlainThread {
        once.perform {
          meeting.meet()
          queue.sync {}
        }
      }
      queue.sync {
        meeting.meet()
        once.perform {}
      }
    }

    // MARK: What has an owner and is no queue

    Misuse(
      "two things with owners wait for each other", waitsFor: "the thing a", "held by",
      says: "the thing b"
    ) {
      let a = Owned("the thing a")
      let b = Owned("the thing b")
      let meeting = Meeting(2)
      _ = try PlainThread {
        a.take()
        meeting.meet()
        b.wait()
      }
      b.take()
      meeting.meet()
      a.wait()
    }
  }

  // MARK: Once and loops

  @Test(.enabled(if: processorCount > 1, "the caller runs every iteration itself"))
  func aLoopWhoseHelperNeedsTheCallersQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "dead.queue")
      let caller = csb_thread_number()
      let helped = DispatchSemaphore(value: 0)
      queue.sync {
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
          if csb_thread_number() == caller { return helped.wait() }
          helped.signal()
          queue.sync {}
        }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock: thread", "(kernel ", "concurrentPerform",
      "run by", "dead.queue")
  }

  // MARK: What has an owner and is no queue

  /// A resource that names its owner, as a lock will: nothing else is asked of it.
  private final class Owned: Sendable {
    let owner = Atomic<UInt32>(0)
    let word = Atomic<UInt32>(0)
    let name: StaticString
    init(_ name: StaticString) { self.name = name }

    func take() { owner.store(csb_thread_number(), ordering: .relaxed) }

    func wait() -> Never {
      let resource = WaitResource(
        // SAFETY: the waiting thread holds a reference.
        object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        describe: { raw in
          // SAFETY: as above.
          Unmanaged<Owned>.fromOpaque(raw)._withUnsafeGuaranteedRef { "\($0.name)" }
        },
        need: { raw, _ in
          // SAFETY: as above.
          Unmanaged<Owned>.fromOpaque(raw)._withUnsafeGuaranteedRef {
            .thread($0.owner.load(ordering: .relaxed))
          }
        })
      while true {
        _ = Parking.wait(
          while: wordAddress(word), is: 0, until: .never, for: .test, on: resource)
      }
    }
  }
}
