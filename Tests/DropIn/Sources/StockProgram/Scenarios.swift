// Scenarios — what is done through the toolchain's Dispatch, one function for each scenario.

import Dispatch
import Glibc
import OnlyFoundation
import OnlyTasks
import StockScenarios

func run(_ scenario: StockScenario) async throws {
  switch scenario {
  case .order: order()
  case .barriers: barriers()
  case .barriersUnderLoad: barriersUnderLoad()
  case .replacedMethods: replacedMethods()
  case .syncResults: syncResults()
  case .syncSpecifics: syncSpecifics()
  case .syncReferences: syncReferences()
  case .syncExclusion: syncExclusion()
  case .asyncForms: asyncForms()
  case .asyncReferences: asyncReferences()
  case .blockMemory: blockMemory()
  case .groups: groups()
  case .semaphores: semaphores()
  case .later: later()
  case .loops: loops()
  case .captures: captures()
  case .specifics: specifics()
  case .attributes: attributes()
  case .mainThread: mainThread()
  case .cancelledItems: cancelledItems()
  case .awaitedItems: awaitedItems()
  case .notifiedItems: notifiedItems()
  case .itemsOnQueues: itemsOnQueues()
  case .targets: targets()
  case .suspension: suspension()
  case .preconditions: preconditions()
  case .times: times()
  case .joinedData: joinedData()
  case .partsOfData: partsOfData()
  case .dataInOneStretch: dataInOneStretch()
  case .deallocators: deallocators()
  case .freedData: freedData()
  case .onceReads: onceReads()
  case .pipes: pipes()
  case .channelBarriers: channelBarriers()
  case .randomFiles: randomFiles()
  case .limits: limits()
  case .intervals: intervals()
  case .stoppedReads: stoppedReads()
  case .endedChannels: endedChannels()
  case .tasks: await tasks()
  case .mainActor: await mainActor()
  case .jobs: await jobs()
  case .sleeps: await sleeps()
  case .timerSources: timerSources()
  case .dataSources: dataSources()
  case .descriptorSources: descriptorSources()
  case .signalSources: signalSources()
  case .sourceLifetimes: sourceLifetimes()
  case .descriptorDefects: descriptorDefects()
  case .foundationWaits: try foundationWaits()
  case .urlSessions: urlSessions()
  }
}

private func order() {
  let queue = DispatchQueue(label: "org.example.order")
  let seen = Shared<[Int]>([])
  for index in 0..<1_000 { queue.async { seen.change { $0.append(index) } } }
  expect(queue.sync { seen.value } == Array(0..<1_000))
  struct Failure: Error {}
  do {
    _ = try queue.sync { () throws -> Int in throw Failure() }
    expect(false, "sync passes an error on")
  } catch { expect(error is Failure) }
}

private func barriers() {
  let queue = DispatchQueue(label: "org.example.barriers", attributes: .concurrent)
  let counts = Shared((before: 0, after: 0))
  let both = Shared(0)
  let gate = DispatchSemaphore(value: 0)
  // Two items must run at a time, or neither ends.
  for _ in 0..<2 {
    queue.async {
      if both.change({
        $0 += 1; return $0
      }) == 2 {
        for _ in 0..<2 { gate.signal() }
      }
      gate.wait()
      counts.change { $0.before += 1 }
    }
  }
  queue.async(flags: .barrier) { expect(counts.value == (2, 0), "a barrier waits") }
  for _ in 0..<10 { queue.async { counts.change { $0.after += 1 } } }
  let last = queue.sync(flags: .barrier) { counts.value }
  expect(last == (2, 10))
}

/// Defect D33: every combination of barriers, from several threads at once.
private func barriersUnderLoad() {
  let queue = DispatchQueue(label: "org.example.load", attributes: .concurrent)
  let running = Shared((readers: 0, writers: 0))
  let ended = Shared(0)
  let read: @Sendable () -> Void = {
    running.change { $0.readers += 1 }
    expect(running.value.writers == 0, "a barrier runs alone")
    running.change { $0.readers -= 1 }
    ended.change { $0 += 1 }
  }
  let write: @Sendable () -> Void = {
    running.change { $0.writers += 1 }
    expect(running.value == (0, 1), "a barrier runs alone")
    running.change { $0.writers -= 1 }
    ended.change { $0 += 1 }
  }
  let (threads, rounds) = (4, 1_000)
  onThreads(threads) { thread in
    for round in 0..<rounds {
      switch (thread + round) % 5 {
      case 0: queue.async(execute: read)
      case 1: queue.async(flags: .barrier, execute: write)
      case 2: queue.sync(execute: read)
      case 3: queue.sync(flags: .barrier, execute: write)
      default: queue.async(execute: read)
      }
    }
  }
  queue.sync(flags: .barrier) {}
  expect(ended.value == threads * rounds, "\(ended.value) items ended")
}

private func groups() {
  let group = DispatchGroup()
  let count = Shared(0)
  for _ in 0..<100 { DispatchQueue.global().async(group: group) { count.change { $0 += 1 } } }
  group.wait()
  expect(count.value == 100)
  group.enter()
  expect(group.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
  let told = DispatchSemaphore(value: 0)
  group.notify(queue: .global()) { told.signal() }
  expect(told.wait(timeout: .now()) == .timedOut, "a notification waits for the group")
  group.leave()
  told.wait()
  let item = DispatchWorkItem { told.signal() }
  group.notify(queue: .global(), work: item)
  told.wait()
  // Nobody but its item keeps this group.
  let done = DispatchSemaphore(value: 0)
  do {
    let brief = DispatchGroup()
    DispatchQueue.global().async(group: brief) { done.wait() }
    brief.notify(queue: .global()) { told.signal() }
  }
  done.signal()
  told.wait()
}

private func semaphores() {
  let semaphore = DispatchSemaphore(value: 2)
  semaphore.wait()
  semaphore.wait()
  expect(semaphore.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
  expect(semaphore.wait(wallTimeout: .now() + .milliseconds(1)) == .timedOut)
  DispatchQueue.global().async { semaphore.signal() }
  semaphore.wait()
  semaphore.signal()
  semaphore.signal()
}

private func later() {
  let queue = DispatchQueue(label: "org.example.later")
  let told = DispatchSemaphore(value: 0)
  let begin = DispatchTime.now()
  queue.asyncAfter(deadline: begin + .milliseconds(20)) { told.signal() }
  told.wait()
  expect(
    DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds >= 20_000_000, "never early")
  queue.asyncAfter(wallDeadline: .now() + .milliseconds(1)) { told.signal() }
  told.wait()
  let item = DispatchWorkItem { expect(false, "a cancelled item does not run") }
  // However late the cancellation is, the item has not begun.
  queue.suspend()
  queue.asyncAfter(deadline: .now() + .milliseconds(5), execute: item)
  item.cancel()
  queue.resume()
  queue.asyncAfter(deadline: .now() + .milliseconds(10)) { told.signal() }
  queue.asyncAfter(deadline: .distantFuture) { expect(false, "never") }
  told.wait()
}

private func loops() {
  let sum = Shared(0)
  DispatchQueue.concurrentPerform(iterations: 1_000) { index in sum.change { $0 += index } }
  expect(sum.value == 499_500)
}

/// Signals when it is freed.
private final class Witness: Sendable {
  private let freed: DispatchSemaphore
  init(_ freed: DispatchSemaphore) { self.freed = freed }
  deinit { freed.signal() }
  func use() {}
}

/// Whatever a block has captured is freed once.
private func captures() {
  let freed = DispatchSemaphore(value: 0)
  let queue = DispatchQueue(label: "org.example.captures")
  let group = DispatchGroup()
  func witness() -> Witness { Witness(freed) }
  do {
    let (one, two, three, four, five, six) = (
      witness(), witness(), witness(), witness(), witness(), witness()
    )
    queue.async { one.use() }
    queue.async(group: group) { two.use() }
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) { three.use() }
    let item = DispatchWorkItem { four.use() }
    queue.async(execute: item)
    item.notify(queue: queue) { five.use() }
    group.notify(queue: queue) { six.use() }
    let seven = witness()
    queue.sync { seven.use() }
    // An item that never runs, and one that is cancelled.
    let (eight, nine) = (witness(), witness())
    _ = DispatchWorkItem { eight.use() }
    let cancelled = DispatchWorkItem { nine.use() }
    queue.asyncAfter(deadline: .distantFuture, execute: cancelled)
    cancelled.cancel()
    item.wait()
    group.wait()
    queue.setSpecific(key: witnessKey, value: witness())
  }
  for _ in 0..<9 { freed.wait() }
  expect(freed.wait(timeout: .now()) == .timedOut, "the queue keeps its value")
  queue.setSpecific(key: witnessKey, value: nil)
  freed.wait()
}

private let witnessKey = DispatchSpecificKey<Witness>()

private func specifics() {
  let (key, other) = (DispatchSpecificKey<String>(), DispatchSpecificKey<Int>())
  let target = DispatchQueue(label: "org.example.target")
  let queue = DispatchQueue(label: "org.example.specifics", target: target)
  queue.setSpecific(key: key, value: "here")
  target.setSpecific(key: other, value: 7)
  expect(queue.getSpecific(key: key) == "here" && queue.getSpecific(key: other) == nil)
  queue.sync {
    expect(DispatchQueue.getSpecific(key: key) == "here")
    expect(DispatchQueue.getSpecific(key: other) == 7, "the target's value")
  }
  target.sync { expect(DispatchQueue.getSpecific(key: key) == nil) }
  queue.setSpecific(key: key, value: nil)
  expect(queue.getSpecific(key: key) == nil)
}

private func attributes() {
  let queue = DispatchQueue(
    label: "org.example.attributes", qos: DispatchQoS(qosClass: .utility, relativePriority: -3),
    attributes: [.concurrent, .initiallyInactive], autoreleaseFrequency: .workItem)
  expect(queue.label == "org.example.attributes")
  expect(queue.qos == DispatchQoS(qosClass: .utility, relativePriority: -3), "\(queue.qos)")
  let told = DispatchSemaphore(value: 0)
  queue.async { told.signal() }
  expect(told.wait(timeout: .now() + .milliseconds(5)) == .timedOut, "the queue is inactive")
  queue.activate()
  told.wait()
  expect(DispatchQueue.main.label == "com.apple.main-thread")
  expect(DispatchQueue.global(qos: .background).label == "com.apple.root.background-qos")
  expect(DispatchQueue.global(qos: .userInteractive).qos.qosClass == .userInteractive)
}

private func mainThread() {
  let told = DispatchSemaphore(value: 0)
  DispatchQueue.main.async {
    expect(OnlyFoundation.isMainThread)
    DispatchQueue.main.async { told.signal() }
  }
  told.wait()
  expect(DispatchQueue.main.sync { OnlyFoundation.isMainThread })
}

private func cancelledItems() {
  let queue = DispatchQueue(label: "org.example.cancelled")
  queue.suspend()
  let item = DispatchWorkItem { expect(false, "a cancelled item does not run") }
  queue.async(execute: item)
  item.cancel()
  expect(item.isCancelled)
  queue.resume()
  queue.sync {}
  expect(item.wait(timeout: .now() + 10) == .success, "a cancelled item ends")
}

private func awaitedItems() {
  let count = Shared(0)
  let item = DispatchWorkItem { count.change { $0 += 1 } }
  expect(item.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
  DispatchQueue.global().async(execute: item)
  item.wait()
  expect(count.value == 1 && !item.isCancelled)
  let second = DispatchWorkItem { count.change { $0 += 1 } }
  second.perform()
  second.perform()
  expect(count.value == 3)
}

private func notifiedItems() {
  let told = DispatchSemaphore(value: 0)
  let item = DispatchWorkItem(qos: .utility) {}
  item.notify(queue: .global()) { told.signal() }
  item.notify(queue: .global(), execute: DispatchWorkItem { told.signal() })
  expect(told.wait(timeout: .now()) == .timedOut)
  item.perform()
  told.wait()
  told.wait()
}

private func itemsOnQueues() {
  let queue = DispatchQueue(label: "org.example.items", attributes: .concurrent)
  let seen = Shared<[String]>([])
  let group = DispatchGroup()
  let note = { @Sendable (word: String) in seen.change { $0.append(word) } }
  queue.async(group: group, execute: DispatchWorkItem { note("group") })
  group.wait()
  queue.async(execute: DispatchWorkItem(flags: .barrier) { note("barrier") })
  queue.sync(execute: DispatchWorkItem { note("sync") })
  queue.sync(execute: DispatchWorkItem(flags: [.barrier, .enforceQoS]) { note("alone") })
  queue.async(group: group, qos: .userInitiated, flags: [.detached]) { note("flags") }
  group.wait()
  expect(seen.value == ["group", "barrier", "sync", "alone", "flags"], "\(seen.value)")
}

private func targets() {
  let target = DispatchQueue(label: "org.example.common")
  let (first, second) = (
    DispatchQueue(label: "org.example.first", target: target),
    DispatchQueue(label: "org.example.second", attributes: .initiallyInactive)
  )
  second.setTarget(queue: target)
  second.activate()
  let (running, most) = (Shared(0), Shared(0))
  let group = DispatchGroup()
  for queue in [first, second] {
    for _ in 0..<100 {
      queue.async(group: group) {
        let now = running.change { count -> Int in
          count += 1
          return count
        }
        most.change { $0 = max($0, now) }
        running.change { $0 -= 1 }
      }
    }
  }
  group.wait()
  expect(most.value == 1, "one item of both at a time")
}

private func suspension() {
  let queue = DispatchQueue(label: "org.example.suspended")
  let told = DispatchSemaphore(value: 0)
  queue.suspend()
  queue.async { told.signal() }
  expect(told.wait(timeout: .now() + .milliseconds(5)) == .timedOut)
  queue.resume()
  told.wait()
  queue.activate()
}

private func preconditions() {
  let queue = DispatchQueue(label: "org.example.preconditions")
  dispatchPrecondition(condition: .notOnQueue(queue))
  queue.sync {
    dispatchPrecondition(condition: .onQueue(queue))
    dispatchPrecondition(condition: .onQueueAsBarrier(queue))
    dispatchPrecondition(condition: .notOnQueue(.main))
  }
  DispatchQueue.main.sync { dispatchPrecondition(condition: .onQueue(.main)) }
}

private func times() {
  let now = DispatchTime.now()
  expect(now + .seconds(1) > now && now - .seconds(1) < now)
  expect((now + .seconds(1)).uptimeNanoseconds - now.uptimeNanoseconds == 1_000_000_000)
  expect(now + .never == .distantFuture)
  let wall = DispatchWallTime.now()
  expect(wall + .seconds(1) > wall && wall + .never == .distantFuture)
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  expect(DispatchWallTime(timespec: time) >= wall)
}

private func tasks() async {
  expect(await OnlyTasks.runTasks(1_000) == 1_000)
  let begin = ContinuousClock.now
  try? await Task.sleep(nanoseconds: 10_000_000)
  expect(ContinuousClock.now - begin >= .milliseconds(10), "a sleep is never short")
  let background = Task.detached(priority: .background) { Task.basePriority }
  expect(await background.value == .background)
}

private func mainActor() async {
  for _ in 0..<100 { expect(await OnlyTasks.onMainActor { OnlyFoundation.isMainThread }) }
  await MainActor.run {
    MainActor.assumeIsolated { dispatchPrecondition(condition: .onQueue(.main)) }
  }
}
