// ChurnTests — whether a worker spends nearly all of its time in the kernel. Plain logic: no
// threads.

@testable import SignalboxRuntime
import Testing

@Suite("Churn") struct ChurnTests {
  private func ticks(_ takes: UInt64, user: UInt64, system: UInt64) -> Pool.Ticks {
    Pool.Ticks(takes: takes, user: user, system: system)
  }

  @Test func theFirstReadingOfARunnableIsNotJudged() {
    var known = Pool.Ticks()
    known.follow(ticks(1, user: 0, system: 900))
    #expect(!known.churns)
    known.follow(ticks(1, user: 0, system: 904))
    #expect(known.churns)
    known.follow(ticks(2, user: 0, system: 908))
    #expect(!known.churns)
  }

  @Test(arguments: [
    (user: UInt64(0), system: UInt64(3), churns: true), (1, 4, true), (0, 2, false),
    (1, 3, false), (3, 0, false), (2, 2, false), (20, 81, true), (40, 100, false),
  ])
  func nearlyAllOfEnoughTimeIsTheKernels(_ user: UInt64, _ system: UInt64, _ churns: Bool) {
    var known = ticks(7, user: 5, system: 5)
    known.follow(ticks(7, user: 5 + user, system: 5 + system))
    #expect(known.churns == churns)
  }

  @Test func aThreadThatHadLittleTimeIsJudgedByAllItsReadings() {
    var known = ticks(7, user: 0, system: 0)
    for system: UInt64 in 1...2 {
      known.follow(ticks(7, user: 0, system: system))
      #expect(!known.churns)
    }
    known.follow(ticks(7, user: 0, system: 3))
    #expect(known.churns)
    // The result holds until enough new ticks were seen.
    known.follow(ticks(7, user: 2, system: 3))
    #expect(known.churns)
    known.follow(ticks(7, user: 3, system: 3))
    #expect(!known.churns)
  }
}
