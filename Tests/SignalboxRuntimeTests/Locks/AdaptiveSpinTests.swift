import SignalboxRuntime
import Testing

struct AdaptiveSpinTests {
  private static let short = AdaptiveSpin.length
  private static let long = 2 * AdaptiveSpin.length

  @Test func aFirstWaitSleeps() {
    var spin = AdaptiveSpin()
    let mayPay = spin.mayPay()
    #expect(!mayPay)
  }

  @Test func aWaitAfterAShortOneSpins() {
    var spin = AdaptiveSpin()
    spin.hasWaited(AdaptiveSpinTests.short)
    let mayPay = spin.mayPay()
    #expect(mayPay)
  }

  @Test func aWaitAfterALongOneSleeps() {
    var spin = AdaptiveSpin()
    spin.hasWaited(AdaptiveSpinTests.short)
    spin.hasWaited(AdaptiveSpinTests.long)
    let mayPay = spin.mayPay()
    #expect(!mayPay)
  }

  @Test func eachUselessSpinDoublesTheSkippedOnes() {
    var spin = AdaptiveSpin()
    spin.hasWaited(AdaptiveSpinTests.short)
    var waits: [Int] = []
    for _ in 0..<13 {
      waits.append(waitsUntilNext(&spin))
      spin.hasSpun(findingSomething: false)
    }
    #expect(waits == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_024])
  }

  @Test func oneUsefulSpinResetsTheSkippedOnes() {
    var spin = AdaptiveSpin()
    spin.hasWaited(AdaptiveSpinTests.short)
    for _ in 0..<5 {
      _ = waitsUntilNext(&spin)
      spin.hasSpun(findingSomething: false)
    }
    _ = waitsUntilNext(&spin)
    spin.hasSpun(findingSomething: true)
    let atOnce = waitsUntilNext(&spin)
    #expect(atOnce == 0)
    spin.hasSpun(findingSomething: false)
    let later = waitsUntilNext(&spin)
    #expect(later == 1)
  }

  @Test func aSpinEndsWhenSomethingArrives() {
    var asked = 0
    let hasCome = AdaptiveSpin.run(until: .max) {
      asked += 1
      return asked == 3
    } orNowAndThen: {
      false
    }
    #expect(hasCome)
    #expect(asked == 3)
  }

  @Test func aSpinEndsWhenSomethingIsReady() {
    #expect(AdaptiveSpin.run(until: .max, { false }, orNowAndThen: { true }))
  }

  @Test func aSpinEndsAtItsTimeLimit() {
    let end = Clock.uptime.now + AdaptiveSpin.length
    #expect(!AdaptiveSpin.run(until: end, { false }, orNowAndThen: { false }))
    #expect(Clock.uptime.now >= end)
  }

  /// Returns how many waits skip the spin before the next one that spins.
  private func waitsUntilNext(_ spin: inout AdaptiveSpin) -> Int {
    var waits = 0
    while !spin.mayPay() { waits += 1 }
    return waits
  }
}
