// WaiterTests — the steps of a waiter, one by one, as its header lists them.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct WaiterTests {
  /// Counts its calls; `onEnlist` runs between parking and suspension.
  private final class CountedWaiter: Waiter, @unchecked Sendable {
    // SAFETY: `onEnlist` is written before the waiter is used.
    let enlisted = EventCounter("enlisted")
    let withdrawn = EventCounter("withdrawn")
    var onEnlist: (CountedWaiter) -> Void = { _ in }

    override func enlist() {
      enlisted.increment()
      onEnlist(self)
    }

    override func withdraw() { withdrawn.increment() }
  }

  @Test func whatComesWhileTheTaskEnlistsEndsTheWait() async throws {
    let waiter = CountedWaiter()
    waiter.onEnlist = { $0.resume() }
    try await waiter.wait()
    #expect(waiter.enlisted.value == 1)
    #expect(waiter.withdrawn.value == 0)
    #expect(waiter.take() == nil)
  }

  @Test func whatComesWhileTheTaskIsSuspendedEndsTheWait() async {
    let waiter = CountedWaiter()
    let task = ending { try await waiter.wait() }
    await until { waiter.enlisted.value == 1 }
    waiter.resume()
    #expect(await task.value == .came)
    #expect(waiter.withdrawn.value == 0)
  }

  @Test func aTaskCancelledBeforeItParksEnlistsNothing() async {
    let waiter = CountedWaiter()
    let task = ending {
      withUnsafeCurrentTask { $0?.cancel() }
      try await waiter.wait()
    }
    #expect(await task.value == .cancelled)
    #expect(waiter.enlisted.value == 0)
    #expect(waiter.withdrawn.value == 0)
    #expect(waiter.take() == nil)
  }

  @Test func aTaskCancelledWhileItEnlistsWithdrawsOnceAndAfterwards() async {
    let waiter = CountedWaiter()
    let order = EventLog<String>()
    waiter.onEnlist = { waiter in
      withUnsafeCurrentTask { $0?.cancel() }
      order.append("withdrawn \(waiter.withdrawn.value) times")
      if waiter.take() != nil { order.append("taken") }
    }
    let task = ending { try await waiter.wait() }
    #expect(await task.value == .cancelled)
    #expect(waiter.withdrawn.value == 1)
    #expect(order.all == ["withdrawn 0 times"])
  }

  @Test func aTaskCancelledWhileItIsSuspendedWithdrawsOnce() async {
    let waiter = CountedWaiter()
    let task = ending { try await waiter.wait() }
    await until { waiter.enlisted.value == 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(waiter.withdrawn.value == 1)
    #expect(waiter.take() == nil)
  }

  /// The taker decides when the task resumes; a later cancellation changes nothing.
  @Test func aCancellationAfterTheTakingIsTooLate() async throws {
    let waiter = CountedWaiter()
    let task = ending { try await waiter.wait() }
    await until { waiter.enlisted.value == 1 }
    let continuation = try #require(waiter.take())
    task.cancel()
    #expect(waiter.take() == nil)
    continuation.resume(returning: .came)
    #expect(await task.value == .came)
    #expect(waiter.withdrawn.value == 0)
  }

  @Test func theWaiterIsFreedWithTheWait() async throws {
    let watch = WeakWatch()
    for isCancelled in [false, true] {
      let task = ending {
        let waiter = CountedWaiter()
        watch.watch(waiter)
        waiter.onEnlist = { waiter in
          if isCancelled { withUnsafeCurrentTask { $0?.cancel() } } else { waiter.resume() }
        }
        try await waiter.wait()
      }
      #expect(await task.value == (isCancelled ? .cancelled : .came))
      #expect(watch.alive == 0)
    }
    #expect(watch.watched == 2)
  }
}
