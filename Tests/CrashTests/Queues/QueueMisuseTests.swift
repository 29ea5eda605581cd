// Targets, specifics, loops and flags used as they cannot be.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("misuse of a queue traps with its label")
struct QueueMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("a queue is its own target", says: "target", "org.signalbox.crash.cycle") {
      let queue = DispatchQueue(label: "org.signalbox.crash.cycle", attributes: .initiallyInactive)
      queue.setTarget(queue: queue)
    }
    Misuse(
      "three queues target each other in a cycle", says: "its own target",
      "org.signalbox.crash.root", "org.signalbox.crash.leaf"
    ) {
      let root = DispatchQueue(label: "org.signalbox.crash.root", attributes: .initiallyInactive)
      let middle = DispatchQueue(label: "org.signalbox.crash.middle", target: root)
      let leaf = DispatchQueue(label: "org.signalbox.crash.leaf", target: middle)
      root.setTarget(queue: leaf)
    }
    Misuse(
      "an activated queue gets a second target", says: "active", "initiallyInactive",
      "org.signalbox.crash.active"
    ) {
      let queue = DispatchQueue(
        label: "org.signalbox.crash.active", attributes: .initiallyInactive, target: .global())
      queue.activate()
      queue.setTarget(queue: .global(qos: .utility))
    }
    Misuse("a workloop gets a target", says: "workloop", "org.signalbox.crash.loop") {
      DispatchWorkloop(label: "org.signalbox.crash.loop", attributes: .initiallyInactive)
        .setTarget(queue: .global())
    }
    Misuse(
      "an active workloop gets an autorelease frequency", says: "active", "org.signalbox.crash.loop"
    ) {
      DispatchWorkloop(label: "org.signalbox.crash.loop").setAutoreleaseFrequency(.never)
    }
    Misuse(
      "a cast key reads a specific value of another type", says: "DispatchSpecificKey<Int>",
      "DispatchSpecificKey<String>"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.specific")
      let key = DispatchSpecificKey<Int>()
      queue.setSpecific(key: key, value: 1)
      // SAFETY: not safe, which is what is tested.
      let cast = Unmanaged<DispatchSpecificKey<String>>.fromOpaque(
        Unmanaged.passUnretained(key).toOpaque()
      ).takeUnretainedValue()
      StandardError.print(queue.getSpecific(key: cast) ?? "nothing")
    }
    Misuse(
      "a cast key sets a specific value of another type", says: "DispatchSpecificKey<Int>",
      "DispatchSpecificKey<String>"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.specific")
      let key = DispatchSpecificKey<Int>()
      queue.setSpecific(key: key, value: 1)
      // SAFETY: not safe, which is what is tested.
      let cast = Unmanaged<DispatchSpecificKey<String>>.fromOpaque(
        Unmanaged.passUnretained(key).toOpaque()
      ).takeUnretainedValue()
      queue.setSpecific(key: cast, value: "text")
    }
    Misuse(
      "an item of a serial queue applies onto that queue", says: "dispatch_apply",
      "org.signalbox.crash.apply"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.apply")
      queue.sync { dispatch_apply(3, queue) { _ in } }
    }
    Misuse(
      "an item of a serial queue applies onto a queue that targets it",
      says: "org.signalbox.crash.target"
    ) {
      let target = DispatchQueue(label: "org.signalbox.crash.target")
      let queue = DispatchQueue(
        label: "org.signalbox.crash.apply", attributes: .concurrent, target: target)
      target.async { dispatch_apply(3, queue) { _ in } }
      target.sync {}
    }
    Misuse("dispatch_apply gets a negative count", says: "dispatch_apply", "-1") {
      dispatch_apply(-1, nil) { _ in }
    }
    Misuse(
      "an item calls asyncAndWait on a queue that targets its own", says: "asyncAndWait",
      "org.signalbox.crash.wait", "org.signalbox.crash.above"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.wait")
      let above = DispatchQueue(label: "org.signalbox.crash.above", target: queue)
      queue.sync {
        above.async {}
        above.asyncAndWait {}
      }
    }
    Misuse(
      "an item calls asyncAndWait with a barrier on its own queue", says: "asyncAndWait",
      "org.signalbox.crash.wait"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.wait", attributes: .concurrent)
      queue.sync { queue.asyncAndWait(flags: .barrier) {} }
    }
    Misuse("async gets flags that have no meaning", says: "DispatchWorkItemFlags", "0x141", "0x140")
    {
      DispatchQueue.global().async(flags: DispatchWorkItemFlags(rawValue: 0x141)) {}
    }
    Misuse("sync gets flags that have no meaning", says: "DispatchWorkItemFlags", "0x40") {
      DispatchQueue.global().sync(flags: DispatchWorkItemFlags(rawValue: 0x40)) {}
    }
    Misuse("a work item gets flags that have no meaning", says: "DispatchWorkItemFlags", "0x80") {
      _ = DispatchWorkItem(flags: DispatchWorkItemFlags(rawValue: 0x80)) {}
    }
    Misuse("dispatch_after_f gets a time of no clock", says: "dispatch_after_f", "rawValue") {
      dispatch_after_f(1 << 62, .global(), nil) { _ in }
    }
  }

  private static func nest(_ queue: DispatchQueue, _ depth: Int) {
    queue.sync { if depth > 1 { nest(queue, depth - 1) } }
  }

  /// A test with a name of its own: ThreadSanitizer has too little stack for it, and skips it.
  @Test func moreNestedSyncsThanAQueueCounts() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let queue = DispatchQueue(label: "org.signalbox.crash.nested", attributes: .concurrent)
        let deep = JoinableThread { QueueMisuseTests.nest(queue, 1 << 16) }
        deep.thread.stackSize = 1 << 30
        deep.start()
        deep.join()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "calls of sync", "are nested on this thread",
      "Call the work directly", "org.signalbox.crash.nested")
  }

  /// Apple's says nothing; a program that has them must continue.
  @Test func unknownAttributesAreReportedAndIgnored() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(
        label: "org.signalbox.crash.odd",
        attributes: [.concurrent, DispatchQueue.Attributes(rawValue: 1 << 9)])
      let serial = DispatchSerialQueue(
        label: "org.signalbox.crash.narrow", attributes: .init(rawValue: 1 << 1))
      queue.sync {}
      serial.sync {}
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("org.signalbox.crash.odd") && text.contains("0x200"))
    #expect(text.contains("org.signalbox.crash.narrow") && text.contains("0x2:"))
  }
}
