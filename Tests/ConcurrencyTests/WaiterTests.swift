// WaiterTests — the steps of a waiter, one by one, as its header lists them.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct WaiterTests {
  /// Counts its calls; `onRegister` runs between parking and suspension.
  private final class CountedWaiter: Waiter, @unchecked Sendable {
    // SAFETY: `onRegister` is written before the waiter is used.
    let registered = EventCounter("registered")
    let withdrawn = EventCounter("withdrawn")
    var onRegister: (CountedWaiter) -> Void = { _ in }

    override func register() {
      registered.increment()
      onRegister(self)
    }

    override func withdraw() { withdrawn.increment() }
  }

  @Test func anEventDuringRegistrationEndsTheWait() async throws {
    let waiter = CountedWaiter()
    waiter.onRegister = { $0.resume() }
    try await waiter.wait()
    #expect(waiter.registered.value == 1)
    #expect(waiter.withdrawn.value == 0)
    #expect(waiter.take() == nil)
  }

  @Test func anEventDuringTheSuspensionEndsTheWait() async {
    let waiter = CountedWaiter()
    let task = ending { try await waiter.wait() }
    await until { waiter.registered.value == 1 }
    waiter.resume()
    #expect(await task.value == .came)
    #expect(waiter.withdrawn.value == 0)
  }

  @Test func aTaskCancelledBeforeItParksRegistersNothing() async {
    let waiter = CountedWaiter()
    let task = ending {
      withUnsafeCurrentTask { $0?.cancel() }
      try await waiter.wait()
    }
    #expect(await task.value == .cancelled)
    #expect(waiter.registered.value == 0)
    #expect(waiter.withdrawn.value == 0)
    #expect(waiter.take() == nil)
  }

  @Test func aTaskCancelledWhileItRegistersWithdrawsOnceAndAfterwards() async {
    let waiter = CountedWaiter()
    let order = EventLog<String>()
    waiter.onRegister = { waiter in
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
    await until { waiter.registered.value == 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(waiter.withdrawn.value == 1)
    #expect(waiter.take() == nil)
  }

  /// The taker decides when the task resumes; a later cancellation changes nothing.
  @Test func aCancellationAfterTheEventIsTooLate() async throws {
    let waiter = CountedWaiter()
    let task = ending { try await waiter.wait() }
    await until { waiter.registered.value == 1 }
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
        waiter.onRegister = { waiter in
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
