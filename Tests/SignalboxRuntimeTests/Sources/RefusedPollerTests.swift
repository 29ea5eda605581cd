// RefusedPollerTests — what the poller and the backup poller do when the system refuses threads. The
// test plays the kernel and the workers.

@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Refused pollers, played") struct RefusedPollerTests {
  private let kernel = PlayedKernel()
  private let helpers = NotedHelpers()
  private let driver: Driver

  init() { driver = Driver(kernel: kernel, helpers: helpers) }

  /// Arms a timer that is due at a time; the played clock begins at 1,000.
  private func arm(_ deadline: UInt64) -> TimerPointer {
    let timer = TimerPointer.allocate(capacity: 1)
    timer.initialize(to: TimerNode(Deadline(.uptime, deadline)) { _ in })
    driver.arm(timer)
    return timer
  }

  private func end(_ timer: TimerPointer) {
    _ = driver.cancel(timer)
    timer.deallocate()
  }

  @Test func aRefusedPollersRoleIsTakenByTheNextWorkerWithoutWork() {
    let timer = arm(5_000)
    #expect(helpers.pollers == 1)
    driver.pollerFailed()
    let takes = [driver.role.take(as: 3), driver.role.take(as: 4)]
    #expect(takes == [true, false])
    end(timer)
  }

  @Test func theNextRegistrationCallsAPollerAgain() {
    let first = arm(5_000)
    driver.pollerFailed()
    let second = arm(6_000)
    #expect(helpers.pollers == 2)
    end(first)
    end(second)
  }

  /// The retry takes the vacant role, and is refused: the worker must get the role all the same.
  @Test func aRetryThatIsRefusedLeavesTheRoleToTheWorkerThatWorks() {
    let timers = [arm(2_000), arm(5_000)]
    kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: 2_000) }
    #expect(driver.poll().count == 1)
    driver.callForRefused()
    #expect(helpers.pollers == 2)
    driver.pollerFailed()
    let takes = driver.role.take(as: 0)
    #expect(takes)
    timers.forEach(end)
  }

  @Test func aPollerThatIsSentToWorkReturnsEmptyHandedAndKeepsItsTimers() {
    let timer = arm(5_000)
    kernel.whenNothingIsReady = { [driver] in driver.sendToWork(pollerMayLeave: true) }
    #expect(driver.poll().isEmpty)
    let takes = [driver.role.take(as: 0), driver.role.take(as: 0)]
    #expect(takes == [true, false], "the role is vacant")
    kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: 5_000) }
    #expect(driver.poll().timers.map(\.timer) == [timer])
    end(timer)
  }

  @Test func aPollerThatMustStayIsNotSent() {
    let timer = arm(5_000)
    var sends = 0
    kernel.whenNothingIsReady = { [driver, kernel] in
      driver.sendToWork(pollerMayLeave: false)
      sends += 1
      if sends == 3 { kernel.move(.uptime, to: 5_000) }
    }
    #expect(driver.poll().count == 1)
    #expect(sends == 3)
    end(timer)
  }

  @Test(arguments: [true, false])
  func theBackupPollerIsSentFirstAndThePollerStays(_ pollerMayLeave: Bool) {
    let timers = [arm(2_000), arm(5_000)]
    kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: 2_000) }
    driver.deliver(driver.poll())
    #expect(helpers.backupPollers == 1)
    let takes = driver.role.take(as: 0)
    #expect(takes)
    driver.sendToWork(pollerMayLeave: pollerMayLeave)
    #expect(kernel.guardedUntil == 1, "it is woken at once")
    #expect(!driver.backupPoll(), "it returns to the run queue")
    kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: 5_000) }
    #expect(driver.poll().count == 1, "the poller has not left before")
    timers.forEach(end)
  }

  /// The backup poller was sent, and its thread is refused: the poller leaves if it may.
  @Test(arguments: [true, false])
  func ifTheBackupPollersThreadIsRefusedThePollerLeavesIfItMay(_ pollerMayLeave: Bool) {
    let timers = [arm(2_000), arm(5_000)]
    kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: 2_000) }
    driver.deliver(driver.poll())
    let takes = driver.role.take(as: 0)
    #expect(takes)
    driver.sendToWork(pollerMayLeave: pollerMayLeave)
    driver.backupPollerFailed()
    kernel.whenNothingIsReady = { [kernel] in kernel.move(.uptime, to: 5_000) }
    #expect(driver.poll().isEmpty == pollerMayLeave)
    timers.forEach(end)
  }
}
