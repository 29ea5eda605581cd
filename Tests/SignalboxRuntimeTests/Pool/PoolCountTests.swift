// PoolCountTests — which workers the pool counts as running, when they block outside `Parking` or
// have been chosen and not woken yet.

import CSignalbox
import Glibc
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Pool counts", .guarded) struct PoolCountTests {
  /// All workers wait or block outside `Parking`, no more may be started, and fewer run than
  /// may. Only a monitor finds the one that blocks, so there must be one.
  @Test func limitRisesWhenAWorkerBlocksOutsideParking() throws {
    let pool = Pool(width: 2, ceiling: 4)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    defer {
      close(input)
      close(output)
    }
    let waiting = EventCounter("waiting")
    let released = PoolTests.Word()
    let done = EventCounter("done")
    for number in 1...3 {
      pool.submit(
        PoolTests.Runnable.make {
          waiting.increment()
          released.wait()
          done.increment()
        }, at: .standard)
      try waiting.wait(for: number)
    }
    pool.submit(
      PoolTests.Runnable.make {
        var byte: UInt8 = 0
        waiting.increment()
        if read(input, &byte, 1) == 1 { done.increment() }
      }, at: .standard)
    try waiting.wait(for: 4)
    pool.submit(
      PoolTests.Runnable.make {
        var byte: UInt8 = 1
        if write(output, &byte, 1) == 1 { done.increment() }
      }, at: .standard)
    // Otherwise a failure would leave the threads behind.
    defer { released.release() }
    try done.wait(for: 2)
    released.release()
    try done.wait(for: 5)
    #expect(done.value == 5)
  }

  /// A parked worker is chosen for a band that is shut out. Its thread is not woken before the
  /// monitor has counted it out and another worker has taken the runnable. A worker that is
  /// counted out twice ends the process.
  @Test func workerThatWasCountedOutBeforeItAwokeParksAgain() async {
    await #expect(processExitsWith: .success) {
      let rounds = LateWake()
      for _ in 0..<100 where rounds.caught < 3 { try rounds.run() }
      #expect(rounds.caught == 3)
    }
  }
}

/// Rounds in which a thread chooses a worker and wakes it late. A round *catches* a worker if
/// the pool chose a parked one.
private final class LateWake: Sendable {
  private let pool = Pool(width: 1, ceiling: 64)
  private let catches = EventCounter("caught")

  var caught: Int { catches.value }

  init() { Engine.install(Engine(pool: pool, driver: Driver())) }

  private var running: Int { pool.running }

  private func wait(until condition: () -> Bool) throws {
    let end = Clock.uptime.now + UInt64(RealTime.wedge.wholeNanoseconds)
    while !condition() {
      if Clock.uptime.now > end { throw Wedge.found("the pool does not change") }
      letRealTimePass(.microseconds(100))
    }
  }

  private func submit(
    at urgency: Urgency, _ flags: Item.Flags = [], _ body: @escaping @Sendable () -> Void
  ) {
    pool.submit(PoolTests.Runnable.make(at: urgency, flags, body), at: urgency)
  }

  func run() throws {
    let ran = EventCounter("ran")
    // Afterwards one worker can run, one can watch and one is parked.
    let released = PoolTests.Word()
    for number in 1...2 {
      submit(at: .standard) {
        ran.increment()
        released.wait()
      }
      try ran.wait(for: number)
    }
    submit(at: .standard) { ran.increment() }
    try ran.wait(for: 3)
    released.release()
    try wait { running == 0 }

    let isOver = PoolTests.Word()
    submit(at: .userInteractive) {
      ran.increment()
      while !isOver.isReleased {}
    }
    try ran.wait(for: 4)
    // A monitor stays as long as this waits.
    submit(at: .userInteractive, .help) { ran.increment() }
    // The holder of the permit has now been still for long enough.
    letRealTimePass(.milliseconds(20))
    try runThreads(1) { [self] _ in
      let submitter = csb_thread_number()
      let subscription = ProbeSubscribers.shared.subscribe(to: [.workerWoken]) { [self] event in
        guard event.thread == submitter, running == 2 else { return }
        try! wait { running == 1 }
        isOver.release()
        try! ran.wait(for: 6)
        catches.increment()
      }
      submit(at: .standard) { ran.increment() }
      ProbeSubscribers.shared.unsubscribe(subscription)
    }
    isOver.release()
    try ran.wait(for: 6)
    try wait { running == 0 }
  }
}
