// DriverPollTests — the poller's role: which threads are called, when the role is passed on, and
// when it ends. The test plays the kernel and the poller.

@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Driver, played") struct DriverPollTests {
  private struct Stage {
    let kernel = PlayedKernel()
    let helpers = NotedHelpers()
    let driver: Driver

    init() { driver = Driver(kernel: kernel, helpers: helpers) }

    /// A timer that counts nothing: the driver reports what is due in what it found.
    func timer(_ deadline: UInt64) -> TimerPointer {
      let timer = TimerPointer.allocate(capacity: 1)
      timer.initialize(to: TimerNode(Deadline(.uptime, deadline)) { _ in })
      return timer
    }

    /// Lets time pass while the poller sleeps.
    func sleepUntil(_ time: UInt64) {
      kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: time) }
    }
  }

  @Test func theFirstRegistrationOpensTheKernelAndCallsAPoller() {
    let stage = Stage()
    #expect(!stage.kernel.isOpen)
    let timers = [stage.timer(2_000), stage.timer(3_000)]
    stage.driver.arm(timers[0])
    stage.driver.arm(timers[1])
    #expect(stage.kernel.isOpen)
    #expect(stage.helpers.pollers == 1)
    for timer in timers { #expect(stage.driver.cancel(timer)) }
    timers.forEach { $0.deallocate() }
  }

  @Test func thePollerLeavesWithDueTimersAndCallsTheBackupPollerOnce() {
    let stage = Stage()
    let timers = [stage.timer(1_010), stage.timer(1_020), stage.timer(.max - 1)]
    for timer in timers { stage.driver.arm(timer) }
    for round in 0..<2 {
      stage.sleepUntil(timers[round].pointee.deadline)
      let found = stage.driver.poll()
      #expect(found.timers.map(\.timer) == [timers[round]])
      stage.driver.deliver(found)
      #expect(stage.helpers.backupPollers == 1, "one is enough")
      #expect(stage.kernel.guardedUntil > timers[round].pointee.deadline)
      // The worker comes back for the role.
      let takes = [stage.driver.role.take(as: 0), stage.driver.role.take(as: 0)]
      #expect(takes == [true, false])
    }
    #expect(stage.helpers.pollers == 1, "the role was vacant, and nobody else was called")
    #expect(stage.driver.cancel(timers[2]))
    timers.forEach { $0.deallocate() }
  }

  @Test func theBackupPollerTakesARoleThatStaysVacantAndTheNextPollerHasAnother() {
    let stage = Stage()
    let timers = [stage.timer(2_000), stage.timer(3_000), stage.timer(.max - 1)]
    for timer in timers { stage.driver.arm(timer) }
    stage.sleepUntil(2_000)
    stage.driver.deliver(stage.driver.poll())
    #expect(stage.driver.backupPoll(), "the guard has gone off, and the role is vacant")
    stage.sleepUntil(3_000)
    stage.driver.deliver(stage.driver.poll())
    #expect(stage.helpers.backupPollers == 2)
    #expect(stage.driver.cancel(timers[2]))
    timers.forEach { $0.deallocate() }
  }

  @Test func theBackupPollerLeavesWhenNothingIsRegisteredAnyMore() {
    let stage = Stage()
    let timers = [stage.timer(2_000), stage.timer(.max - 1)]
    for timer in timers { stage.driver.arm(timer) }
    stage.sleepUntil(2_000)
    stage.driver.deliver(stage.driver.poll())
    #expect(stage.helpers.backupPollers == 1)
    #expect(stage.driver.cancel(timers[1]))
    let takes = stage.driver.role.take(as: 0)
    #expect(takes)
    #expect(stage.driver.poll().isEmpty)
    #expect(stage.kernel.guardedUntil == 1, "it is woken")
    #expect(!stage.driver.backupPoll())
    timers.forEach { $0.deallocate() }
  }

  /// A guard that expires while another thread polls has no effect.
  @Test func theBackupPollerKeepsSleepingWhileAnotherThreadPolls() {
    let stage = Stage()
    let timers = [stage.timer(2_000), stage.timer(.max - 1)]
    for timer in timers { stage.driver.arm(timer) }
    stage.sleepUntil(2_000)
    stage.driver.deliver(stage.driver.poll())
    let takes = stage.driver.role.take(as: 0)
    #expect(takes)
    var looks = 0
    stage.kernel.whenTheBackupPollerSleeps = { [driver = stage.driver] in
      looks += 1
      if looks == 3 { driver.lock.withLock { driver.role.vacate() } }
    }
    #expect(stage.driver.backupPoll())
    #expect(looks == 3)
    #expect(stage.driver.cancel(timers[1]))
    timers.forEach { $0.deallocate() }
  }

  /// The worker that found an event is back sooner than another thread could be.
  @Test func whileHandlersAreShortTheRoleIsKept() {
    let stage = Stage()
    let timers = [
      stage.timer(2_000), stage.timer(3_000), stage.timer(4_000), stage.timer(.max - 1),
    ]
    for timer in timers { stage.driver.arm(timer) }
    func poll(_ round: Int, as worker: UInt32) -> Driver.Found {
      stage.sleepUntil(timers[round].pointee.deadline)
      return stage.driver.poll(as: worker)
    }
    #expect(!poll(0, as: 7).keepsRole, "they may be long")
    for _ in 0..<100 { stage.driver.pace.note(1_000, for: 1) }
    let another = [stage.driver.role.take(as: 8), stage.driver.role.take(as: 7)]
    #expect(another == [true, false], "it was vacant")

    #expect(poll(1, as: 8).keepsRole)
    let kept = [stage.driver.role.take(as: 7), stage.driver.role.take(as: 8)]
    #expect(kept == [false, true])

    #expect(poll(2, as: 8).keepsRole)
    stage.driver.role.giveUp(7)
    let before = stage.driver.role.isOpen(to: 7)
    stage.driver.role.giveUp(8)
    let after = stage.driver.role.isOpen(to: 7)
    #expect([before, after] == [false, true], "it is 8 that gives it up")
    #expect(stage.driver.cancel(timers[3]))
    timers.forEach { $0.deallocate() }
  }

  @Test func theBackupPollerTakesARoleThatIsKeptTooLong() {
    let stage = Stage()
    let timers = [stage.timer(2_000), stage.timer(.max - 1)]
    for timer in timers { stage.driver.arm(timer) }
    for _ in 0..<100 { stage.driver.pace.note(1_000, for: 1) }
    stage.sleepUntil(2_000)
    #expect(stage.driver.poll(as: 7).keepsRole)
    #expect(stage.driver.backupPoll())
    let takes = stage.driver.role.take(as: 7)
    #expect(!takes)
    #expect(stage.driver.cancel(timers[1]))
    timers.forEach { $0.deallocate() }
  }

  @Test func oneLongHandlerCountsAtOnceAndManyShortOnesEventually() {
    let pace = HandlerPace()
    func note(_ handlers: Int, of nanoseconds: UInt64) -> Bool {
      for _ in 0..<handlers { pace.note(2 * nanoseconds, for: 2) }
      return pace.isShort
    }
    let seen = [
      note(100, of: 1_000), note(1, of: 50_000), note(1, of: 1_000), note(100, of: 1_000),
    ]
    #expect(seen == [true, false, false, true])
  }

  /// In a conversation the guard is moved only shortly before it expires.
  @Test func whileEventsFollowEachOtherCloselyTheGuardIsLeftSet() {
    let stage = Stage()
    let timers = (1...20).map { stage.timer(1_000 + 1_000 * UInt64($0)) }
    for timer in timers { stage.driver.arm(timer) }
    let last = stage.timer(.max - 1)
    stage.driver.arm(last)
    for timer in timers {
      stage.sleepUntil(timer.pointee.deadline)
      stage.driver.deliver(stage.driver.poll())
      let takes = stage.driver.role.take(as: 0)
      #expect(takes)
    }
    // The guard was set when the role first became vacant, and cleared and set again once: the
    // first sleep shows how long such sleeps are.
    #expect(stage.kernel.guardSets <= 3)
    #expect(stage.driver.cancel(last))
    for timer in timers + [last] { timer.deallocate() }
  }

  @Test func thePollerLeavesWhenItWakesAndNothingIsRegisteredAnyMore() {
    let stage = Stage()
    stage.kernel.open(5)
    let client = NotedClient()
    let watch = DescriptorWatch(5, for: .readable, client: client)
    #expect(stage.driver.watch(watch) == 0)
    #expect(stage.helpers.pollers == 1)
    stage.kernel.whenNothingIsReady = { [driver = stage.driver] in driver.unwatch(watch) }
    let found = stage.driver.poll()
    #expect(found.isEmpty && !found.callsBackupPoller)
    #expect(stage.kernel.waits == 1)
    #expect(stage.driver.pendingCount == 0)
  }

  @Test func aDescriptorThatIsClosedUnderItsWatchDoesNotKeepThePoller() {
    let stage = Stage()
    stage.kernel.open(5)
    let client = NotedClient()
    let watch = DescriptorWatch(5, for: .readable, client: client)
    #expect(stage.driver.watch(watch) == 0)
    stage.kernel.become(EpollBits.readable, 5)
    stage.driver.deliver(stage.driver.poll())
    #expect(client.told == [.readable])
    stage.kernel.close(5)
    stage.driver.arm(watch)
    #expect(client.goneCount == 1)
    let takes = stage.driver.role.take(as: 0)
    #expect(takes)
    #expect(stage.driver.poll().isEmpty)
    #expect(stage.driver.pendingCount == 0)
  }

  @Test func aRefusedDescriptorCallsNoPoller() {
    let stage = Stage()
    let watch = DescriptorWatch(5, for: .readable, client: NotedClient())
    #expect(stage.driver.watch(watch) != 0)
    #expect(stage.helpers.pollers == 0)
  }
}
