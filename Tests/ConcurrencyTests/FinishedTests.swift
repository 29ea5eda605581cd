// FinishedTests — `finished()` of groups and work items.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct FinishedTests {
  @Test func anEmptyGroupHasFinished() async throws {
    let group = DispatchGroup()
    try await group.finished()
    group.enter()
    group.leave()
    try await group.finished()
  }

  /// The members' unsynchronized writes are visible.
  @Test func theWorkOfTheMembersIsVisible() async throws {
    final class Plain: @unchecked Sendable {
      // SAFETY: written by one member, read after the group has finished.
      var value = 0
    }
    for _ in 0..<200 {
      let group = DispatchGroup()
      let plain = [Plain(), Plain(), Plain()]
      for one in plain { DispatchQueue.global().async(group: group) { one.value += 1 } }
      try await group.finished()
      #expect(plain.map(\.value) == [1, 1, 1])
    }
  }

  @Test func waitsOfALaterUseWaitForThatUse() async throws {
    let group = DispatchGroup()
    group.enter()
    let first = ending { try await group.finished() }
    await until { group.noticeCount == 1 }
    group.leave()
    group.enter()
    let second = ending { try await group.finished() }
    #expect(await first.value == .came)
    await until { group.noticeCount == 1 }
    group.leave()
    #expect(await second.value == .came)
  }

  @Test func anItemForWhichATaskHasWaitedMayRunAgain() async throws {
    let ran = EventCounter("runs")
    // SAFETY: a work item may be used from any thread.
    nonisolated(unsafe) let item = DispatchWorkItem { ran.increment() }
    item.perform()
    try await item.finished()
    item.perform()
    #expect(ran.value == 2)
  }

  /// Notices and tasks are in one list; withdrawn entries leave the others in order.
  @Test func noticesAndWaitersKeepTheirOrder() async throws {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "notices")
    let told = EventLog<Int>()
    let count = 24
    var tasks: [Int: Task<Ending, Never>] = [:]
    group.enter()
    for number in 0..<count {
      switch number % 3 {
      case 0: group.notify(queue: queue) { told.append(number) }
      default: tasks[number] = ending { try await group.finished() }
      }
      await until { group.noticeCount == number + 1 }
    }
    for number in tasks.keys where number % 3 == 1 {
      tasks[number]!.cancel()
      #expect(await tasks[number]!.value == .cancelled)
    }
    #expect(group.noticeCount == count / 3 * 2)
    group.leave()
    #expect(group.noticeCount == 0)
    for number in tasks.keys where number % 3 == 2 {
      #expect(await tasks[number]!.value == .came)
    }
    queue.sync {}
    #expect(told.all == (0..<count).filter { $0 % 3 == 0 })
  }

  @Test func aCancelledItemHasFinishedOnceItsQueueReachesIt() async throws {
    let queue = DispatchQueue(label: "cancelled")
    // SAFETY: any thread may use a work item, although its type does not say so.
    nonisolated(unsafe) let item = DispatchWorkItem {}
    queue.suspend()
    queue.async(execute: item)
    item.cancel()
    let task = ending { try await item.finished() }
    await until { item.noticeCount == 1 }
    queue.resume()
    #expect(await task.value == .came)
  }

  @Test func aTaskAndAThreadMayWaitForTheSameItem() async throws {
    // SAFETY: as above.
    nonisolated(unsafe) let item = DispatchWorkItem {}
    let task = ending { try await item.finished() }
    await until { item.noticeCount == 1 }
    DispatchQueue.global().async(execute: item)
    item.wait()
    #expect(await task.value == .came)
  }

  /// A waiting thread sees that the group is empty; the thread that emptied it resumes the
  /// tasks.
  @Test func aWaiterDoesNotKeepTheGroup() async throws {
    let watch = WeakWatch()
    do {
      let group = watch.watch(DispatchGroup())
      group.enter()
      let waits = ending { try await group.finished() }
      let givesUp = ending { try await group.finished() }
      await until { group.noticeCount == 2 }
      givesUp.cancel()
      #expect(await givesUp.value == .cancelled)
      group.leave()
      #expect(await waits.value == .came)
    }
    await until { watch.alive == 0 }
  }
}
