// Scenarios — what is converted, and used through each of its types.

import CDispatch
import CReferences
import Dispatch
import Glibc
import SignalboxBridges
import SignalboxDispatch

typealias OurQueue = SignalboxDispatch.DispatchQueue
typealias TheirQueue = Dispatch.DispatchQueue

let scenarios: [String: @Sendable () -> Void] = [
  "ourQueueAsTheirs": ourQueueAsTheirs, "theirQueueAsOurs": theirQueueAsOurs,
  "queuesOfEveryProcess": queuesOfEveryProcess, "queuesOfC": queuesOfC,
  "lentHandles": lentHandles, "groups": groups, "semaphores": semaphores,
  "queuesAreFreed": queuesAreFreed, "queuesThatCMadeAreFreed": queuesThatCMadeAreFreed,
  "groupsAndSemaphoresAreFreed": groupsAndSemaphoresAreFreed, "manyThreads": manyThreads,
  "article": article,
]

/// Numbers that items append, on the one queue.
private final class Log: @unchecked Sendable {  // SAFETY: used by items of one serial queue.
  var numbers: [Int] = []
}

/// Both take turns on the queue, in the order in which they were submitted.
private func useInTurns(_ ours: OurQueue, _ theirs: TheirQueue) {
  let log = Log()
  for number in 0..<1_000 {
    if number % 2 == 0 {
      ours.async {
        Dispatch.dispatchPrecondition(condition: .onQueue(theirs))
        log.numbers.append(number)
      }
    } else {
      theirs.async {
        SignalboxDispatch.dispatchPrecondition(condition: .onQueue(ours))
        log.numbers.append(number)
      }
    }
  }
  expect(theirs.sync { log.numbers } == Array(0..<1_000))
  ours.sync { log.numbers = [] }
  expect(theirs.sync { log.numbers.isEmpty })
  expect(ours.label == theirs.label)
  let ourKey = SignalboxDispatch.DispatchSpecificKey<Int>()
  let theirKey = Dispatch.DispatchSpecificKey<Int>()
  ours.setSpecific(key: ourKey, value: 1)
  theirs.setSpecific(key: theirKey, value: 2)
  ours.sync { expect(TheirQueue.getSpecific(key: theirKey) == 2) }
  theirs.sync { expect(OurQueue.getSpecific(key: ourKey) == 1) }
}

@Sendable private func ourQueueAsTheirs() {
  let ours = OurQueue(label: "org.example.ours", qos: .utility)
  let theirs = TheirQueue(ours)
  expect(theirs.qos == .utility)
  useInTurns(ours, theirs)
  expect(OurQueue(theirs) === ours)
  expect(OurQueue(TheirQueue(ours)) === ours)
}

@Sendable private func theirQueueAsOurs() {
  let theirs = TheirQueue(label: "org.example.theirs", qos: .utility)
  let ours = OurQueue(theirs)
  expect(ours.qos == .utility)
  useInTurns(ours, theirs)
  expect(OurQueue(theirs) === ours)
  useInTurns(ours, TheirQueue(ours))
}

@Sendable private func queuesOfEveryProcess() {
  for _ in 0..<3 {
    expect(OurQueue(TheirQueue.main) === OurQueue.main)
    expect(OurQueue(TheirQueue(OurQueue.main)) === OurQueue.main)
    expect(OurQueue(TheirQueue.global(qos: .utility)) === OurQueue.global(qos: .utility))
    expect(OurQueue(TheirQueue(OurQueue.global())) === OurQueue.global())
  }
  expect(OurQueue.main.retainedHandle() == OurQueue.main.withHandle { $0 })
  TheirQueue.global().async {
    TheirQueue(OurQueue.main).async {
      Dispatch.dispatchPrecondition(condition: .onQueue(.main))
      SignalboxDispatch.dispatchPrecondition(condition: .onQueue(.main))
      print("done")
      exit(0)
    }
  }
  SignalboxDispatch.dispatchMain()
}

@Sendable private func queuesOfC() {
  let made: OpaquePointer = dispatch_queue_create("org.example.c", nil)
  let ours = OurQueue(handle: made)
  expect(ours.label == "org.example.c")
  expect(ours.withHandle { $0 } == made)
  expect(OurQueue(handle: made) === ours)
  useInTurns(ours, TheirQueue(ours))
  release_for_c(made)
  expect(ours.sync { true })
}

@Sendable private func lentHandles() {
  let ours = OurQueue(label: "org.example.lent")
  let count = SignalboxDispatch.DispatchSemaphore(value: 0)
  ours.withHandle { queue in
    count.withHandle { count in
      dispatch_async_f(queue, UnsafeMutableRawPointer(count)) {
        dispatch_semaphore_signal(OpaquePointer($0!))
      }
    }
  }
  count.wait()
  struct Failure: Error {}
  do {
    try ours.withHandle { _ in throw Failure() }
    expect(false)
  } catch { expect(error is Failure) }
}

@Sendable private func groups() {
  let ours = SignalboxDispatch.DispatchGroup()
  let theirs = Dispatch.DispatchGroup(ours)
  expect(SignalboxDispatch.DispatchGroup(theirs) === ours)
  expect(ours.withHandle { SignalboxDispatch.DispatchGroup(handle: $0) } === ours)
  let told = SignalboxDispatch.DispatchSemaphore(value: 0)
  ours.enter()
  theirs.enter()
  theirs.notify(queue: .global()) { told.signal() }
  ours.notify(queue: .global()) { told.signal() }
  theirs.leave()
  expect(told.wait(timeout: .now()) == .timedOut)
  ours.leave()
  told.wait()
  told.wait()
  let made = Dispatch.DispatchGroup()
  made.enter()
  SignalboxDispatch.DispatchGroup(made).leave()
  made.wait()
}

@Sendable private func semaphores() {
  let ours = SignalboxDispatch.DispatchSemaphore(value: 1)
  let theirs = Dispatch.DispatchSemaphore(ours)
  expect(SignalboxDispatch.DispatchSemaphore(theirs) === ours)
  expect(ours.withHandle { SignalboxDispatch.DispatchSemaphore(handle: $0) } === ours)
  theirs.wait()
  expect(ours.wait(timeout: .now()) == .timedOut)
  ours.signal()
  theirs.wait()
  theirs.signal()
  let made = Dispatch.DispatchSemaphore(value: 0)
  SignalboxDispatch.DispatchSemaphore(made).signal()
  made.wait()
}
