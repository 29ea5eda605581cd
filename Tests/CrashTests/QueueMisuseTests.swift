// Targets, specifics, loops and flags used as they cannot be.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("misuse of a queue traps with its label")
struct QueueMisuseTests {
  private static func nest(_ queue: DispatchQueue, _ depth: Int) {
    queue.sync { if depth > 1 { nest(queue, depth - 1) } }
  }

  @Test func moreSyncsWithinEachOtherThanAQueueCounts() async {
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

  @Test func aTargetThatIsTheQueueItself() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.cycle", attributes: .initiallyInactive)
      queue.setTarget(queue: queue)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "target", "org.signalbox.crash.cycle")
  }

  @Test func aCycleOfTargets() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let root = DispatchQueue(label: "org.signalbox.crash.root", attributes: .initiallyInactive)
      let middle = DispatchQueue(label: "org.signalbox.crash.middle", target: root)
      let leaf = DispatchQueue(label: "org.signalbox.crash.leaf", target: middle)
      root.setTarget(queue: leaf)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "its own target", "org.signalbox.crash.root",
      "org.signalbox.crash.leaf")
  }

  @Test func theTargetOfAnActivatedQueueWithATarget() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(
        label: "org.signalbox.crash.active", attributes: .initiallyInactive, target: .global())
      queue.activate()
      queue.setTarget(queue: .global(qos: .utility))
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "active", "initiallyInactive",
      "org.signalbox.crash.active")
  }

  @Test func theTargetOfAWorkloop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchWorkloop(label: "org.signalbox.crash.loop", attributes: .initiallyInactive)
        .setTarget(queue: .global())
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "workloop", "org.signalbox.crash.loop")
  }

  @Test func theAutoreleaseFrequencyOfAnActiveWorkloop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchWorkloop(label: "org.signalbox.crash.loop").setAutoreleaseFrequency(.never)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "active", "org.signalbox.crash.loop")
  }

  @Test func aSpecificKeyCastToAnotherType() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.specific")
      let key = DispatchSpecificKey<Int>()
      queue.setSpecific(key: key, value: 1)
      // SAFETY: not safe, which is what is tested.
      let cast = Unmanaged<DispatchSpecificKey<String>>.fromOpaque(
        Unmanaged.passUnretained(key).toOpaque()
      ).takeUnretainedValue()
      StandardError.print(queue.getSpecific(key: cast) ?? "nothing")
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchSpecificKey<Int>",
      "DispatchSpecificKey<String>")
  }

  @Test func aSpecificKeyCastToAnotherTypeToSet() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.specific")
      let key = DispatchSpecificKey<Int>()
      queue.setSpecific(key: key, value: 1)
      // SAFETY: not safe, which is what is tested.
      let cast = Unmanaged<DispatchSpecificKey<String>>.fromOpaque(
        Unmanaged.passUnretained(key).toOpaque()
      ).takeUnretainedValue()
      queue.setSpecific(key: cast, value: "text")
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchSpecificKey<Int>",
      "DispatchSpecificKey<String>")
  }

  @Test func applyOntoTheSerialQueueOneIsOn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.apply")
      queue.sync { dispatch_apply(3, queue) { _ in } }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "dispatch_apply", "org.signalbox.crash.apply")
  }

  @Test func applyThroughTheSerialTargetOneIsOn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let target = DispatchQueue(label: "org.signalbox.crash.target")
      let queue = DispatchQueue(
        label: "org.signalbox.crash.apply", attributes: .concurrent, target: target)
      target.async { dispatch_apply(3, queue) { _ in } }
      target.sync {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "org.signalbox.crash.target")
  }

  @Test func applyOfANegativeCount() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      dispatch_apply(-1, nil) { _ in }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "dispatch_apply", "-1")
  }

  @Test func asyncAndWaitOntoTheSerialQueueOneIsOn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.wait")
      let above = DispatchQueue(label: "org.signalbox.crash.above", target: queue)
      queue.sync {
        above.async {}
        above.asyncAndWait {}
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "asyncAndWait", "org.signalbox.crash.wait",
      "org.signalbox.crash.above")
  }

  @Test func asyncAndWaitAsABarrierFromAnItemOfTheQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.wait", attributes: .concurrent)
      queue.sync { queue.asyncAndWait(flags: .barrier) {} }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "asyncAndWait", "org.signalbox.crash.wait")
  }

  @Test func flagsThatMeanNothing() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchQueue.global().async(flags: DispatchWorkItemFlags(rawValue: 0x141)) {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItemFlags", "0x141", "0x140")
  }

  @Test func flagsThatMeanNothingInSync() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchQueue.global().sync(flags: DispatchWorkItemFlags(rawValue: 0x40)) {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItemFlags", "0x40")
  }

  @Test func flagsThatMeanNothingInAWorkItem() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = DispatchWorkItem(flags: DispatchWorkItemFlags(rawValue: 0x80)) {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItemFlags", "0x80")
  }

  @Test func aTimeOnNoClock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      dispatch_after_f(1 << 62, .global(), nil) { _ in }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "dispatch_after_f", "rawValue")
  }

  /// Apple's says nothing; a program that has them must go on.
  @Test func attributesThatMeanNothingAreSaidAndIgnored() async {
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
