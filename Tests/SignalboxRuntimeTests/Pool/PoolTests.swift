// PoolTests — a pool of the tests' own: everything runs, and waiting workers are replaced.

import SignalboxTestSupport
import Synchronization
import Testing

@testable import SignalboxRuntime

@Suite("Pool", .guarded) struct PoolTests {
  /// A closure as a runnable.
  struct Runnable: ~Copyable {
    let item: Item
    let body: @Sendable () -> Void

    static func make(
      at urgency: Urgency = .standard, _ flags: Item.Flags = [],
      _ body: @escaping @Sendable () -> Void
    ) -> ItemPointer {
      let pointer = UnsafeMutablePointer<Runnable>.allocate(capacity: 1)
      pointer.initialize(
        to: Runnable(
          item: Item(
            { raw in
              // SAFETY: the item is the first field.
              let pointer = raw.assumingMemoryBound(to: Runnable.self)
              let body = pointer.pointee.body
              pointer.deinitialize(count: 1)
              pointer.deallocate()
              body()
            }, flags: Item.Flags(urgency).union(flags)), body: body))
      // SAFETY: the item is the first field.
      return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Item.self)
    }
  }

  private static let urgencies = Band.allCases.map { Urgency($0) }

  @Test(arguments: [1, 2, 4])
  func everythingSubmittedRunsOnce(_ width: Int) throws {
    let pool = Pool(width: width, ceiling: 64)
    let ran = EventCounter("ran")
    try runThreads(4) { index in
      for number in 0..<2_000 {
        let urgency = Self.urgencies[(index + number) % Self.urgencies.count]
        pool.submit(Runnable.make(at: urgency) { ran.increment() }, at: urgency)
      }
    }
    try ran.wait(for: 8_000)
    #expect(ran.value == 8_000)
  }

  /// Whatever the kernel does with the threads, helper requests never get a worker beyond the
  /// width.
  @Test(arguments: [1, 2])
  func noMoreThanTheWidthRunAtOnce(_ width: Int) throws {
    let pool = Pool(width: width, ceiling: 64)
    let inside = Occupancy()
    let ran = EventCounter("ran")
    for _ in 0..<500 {
      pool.submit(
        Runnable.make(at: .standard, .help) {
          inside.enter()
          inside.leave()
          ran.increment()
        }, at: .standard)
    }
    try ran.wait(for: 500)
    #expect(inside.most <= width)
    #expect(inside.entered == 500)
  }

  @Test func workersThatWaitAreReplaced() throws {
    let pool = Pool(width: 2, ceiling: 64)
    let waiting = EventCounter("waiting")
    let released = Word()
    let done = EventCounter("done")
    for _ in 0..<20 {
      pool.submit(
        Runnable.make {
          waiting.increment()
          released.wait()
          done.increment()
        }, at: .standard)
    }
    try waiting.wait(for: 20)
    released.release()
    try done.wait(for: 20)
    #expect(done.value == 20)
  }

  @Test func limitRisesWhenEveryWorkerWaits() throws {
    let pool = Pool(width: 2, ceiling: 4)
    let waiting = EventCounter("waiting")
    let released = Word()
    let done = EventCounter("done")
    for _ in 0..<12 {
      pool.submit(
        Runnable.make {
          waiting.increment()
          released.wait()
          done.increment()
        }, at: .standard)
    }
    try waiting.wait(for: 12)
    released.release()
    try done.wait(for: 12)
    #expect(waiting.value == 12)
  }

  /// Runnables compute on every worker until the runnables behind them have run, those of the
  /// same band and of the others. The cases run one at a time: together, sixty threads would
  /// compute.
  @Test(.serialized, arguments: [1, 2], [3, 12])
  func runnableBehindEndlessOnesRuns(_ width: Int, _ endless: Int) throws {
    let pool = Pool(width: width, ceiling: 64)
    let over = Word()
    // After a failure, no thread may be left that computes.
    defer { over.release() }
    let done = EventCounter("done")
    submitEndless(endless, to: pool, until: over, done)
    try runOneBehind(in: pool)
    over.release()
    try done.wait(for: 2 * endless)
  }

  /// However long the others compute, a helper request waits for a permit, and gets none beyond
  /// the width.
  @Test(.serialized, arguments: [1, 2])
  func helperRequestWaitsWhileRunnablesCompute(_ width: Int) throws {
    let pool = Pool(width: width, ceiling: 64)
    let (over, helped) = (Word(), Word())
    // After a failure, no thread may be left that computes.
    defer { over.release() }
    let done = EventCounter("done")
    submitEndless(3, to: pool, until: over, done)
    pool.submit(Runnable.make(at: .standard, .help) { helped.release() }, at: .standard)
    try runOneBehind(in: pool)
    #expect(!helped.isReleased)
    over.release()
    try done.wait(for: 6)
    helped.wait()
  }

  /// Submits so many runnables of each of two bands. They compute until `over` is released.
  private func submitEndless(
    _ count: Int, to pool: Pool, until over: Word, _ done: EventCounter
  ) {
    for band in [Band.standard, .userInitiated] {
      for _ in 0..<count {
        pool.submit(
          Runnable.make(at: Urgency(band)) {
            while !over.isReleased {}
            done.increment()
          }, at: Urgency(band))
      }
    }
  }

  /// Runs a runnable of each band of `submitEndless`, and one of the band above them.
  private func runOneBehind(in pool: Pool) throws {
    for band in [Band.standard, .userInitiated, .userInteractive] {
      let ran = EventCounter("\(band) ran")
      pool.submit(Runnable.make(at: Urgency(band)) { ran.increment() }, at: Urgency(band))
      try ran.wait(for: 1)
    }
  }

  /// The runnable is in the slot of a worker that does not come back to it: another worker must
  /// take it from there.
  @Test func runnableIsTakenFromTheSlotOfAWorkerThatComputesOn() throws {
    let pool = Pool(width: 2, ceiling: 64)
    let rounds = 50
    let done = EventCounter("rounds")
    for round in 1...rounds {
      let other = Word()
      // After a failure, no thread may be left that computes.
      defer { other.release() }
      pool.submit(
        Runnable.make {
          pool.submit(Runnable.make { other.release() }, at: .standard)
          // Computes until the other runnable has run.
          while !other.isReleased {}
          done.increment()
        }, at: .standard)
      try done.wait(for: round)
    }
    #expect(done.value == rounds)
  }

  @Test func twoQueuesThatCallEachOtherDoNotStarveTheRest() throws {
    let pool = Pool(width: 1, ceiling: 64)
    let stop = Word()
    let ended = EventCounter("ended")
    @Sendable func again() {
      if stop.isReleased {
        ended.increment()
      } else {
        pool.submit(Runnable.make { again() }, at: .standard)
      }
    }
    pool.submit(Runnable.make { again() }, at: .standard)
    pool.submit(Runnable.make { stop.release() }, at: .standard)
    try ended.wait(for: 1)
    #expect(ended.value == 1)
  }

  /// Two queues call each other for hours: the count of what a worker has taken from its slot in a
  /// row wraps around.
  @Test func aWorkerMayTakeFromItsSlotForHours() throws {
    let pool = Pool(width: 1, ceiling: 64)
    let ended = EventCounter("ended")
    pool.submit(
      Runnable.make {
        Worker.ofThisThread?.pointee.slotRun = .max
        pool.submit(Runnable.make { ended.increment() }, at: .standard)
      }, at: .standard)
    try ended.wait(for: 1)
    #expect(ended.value == 1)
  }

  // MARK: Overcommit

  /// Where the more urgent runnable is when all workers are busy: in the run queue, or in the
  /// slot of a worker that does not come back to it.
  enum Place: CaseIterable, Sendable {
    case runQueue, slot
  }

  /// The computing runnables end only when the more urgent one has run.
  @Test(arguments: [1, 2, 4], Place.allCases)
  func moreUrgentRunnableRunsAlongsideThoseThatCompute(_ width: Int, _ place: Place) throws {
    let pool = Pool(width: width, ceiling: 64)
    let rounds = 5
    let done = EventCounter("done")
    for round in 1...rounds {
      let started = EventCounter("started")
      let highestHasRun = Word()
      // After a failure, no thread may be left that computes.
      defer { highestHasRun.release() }
      for number in 1...width {
        pool.submit(
          Runnable.make {
            started.increment()
            if place == .slot && number == width {
              while started.value < width {}
              submitUrgent()
            }
            while !highestHasRun.isReleased {}
            done.increment()
          }, at: .standard)
      }
      // The runnable overcommits, and then another one overcommits above it.
      @Sendable func submitUrgent() {
        pool.submit(
          Runnable.make(at: .userInitiated) {
            pool.submit(
              Runnable.make(at: .userInteractive) {
                highestHasRun.release()
                done.increment()
              }, at: .userInteractive)
            while !highestHasRun.isReleased {}
            done.increment()
          }, at: .userInitiated)
      }
      try started.wait(for: width)
      if place == .runQueue { submitUrgent() }
      try done.wait(for: round * (width + 2))
    }
    #expect(done.value == rounds * (width + 2))
  }

  /// However long they wait, no more runnables of a band and the bands above it run than the
  /// width allows. A runnable that is not more urgent than the others waits for a worker.
  @Test(arguments: [1, 2])
  func overcommitIsLimitedToTheWidth(_ width: Int) throws {
    let pool = Pool(width: width, ceiling: 64)
    let inside = Occupancy()
    let urgentInside = Occupancy()
    let started = Occupancy()
    let ended = EventCounter("ended")
    let urgentHaveRun = Word()
    // After a failure, no thread may be left that computes.
    defer { urgentHaveRun.release() }
    let plain = 3 * width
    for _ in 0..<plain {
      pool.submit(
        Runnable.make(at: .standard, .help) {
          inside.enter()
          started.enter()
          while !urgentHaveRun.isReleased {}
          inside.leave()
          ended.increment()
        }, at: .standard)
    }
    try started.wait(forEntered: width)
    let urgent = 6 * width
    let urgentEnded = EventCounter("urgent ended")
    for _ in 0..<urgent {
      pool.submit(
        Runnable.make(at: .userInteractive, .help) {
          inside.enter()
          urgentInside.enter()
          // Runs for several of the monitor's checks.
          let end = Clock.uptime.now + 20_000_000
          while Clock.uptime.now < end {}
          urgentInside.leave()
          inside.leave()
          urgentEnded.increment()
        }, at: .userInteractive)
    }
    try urgentEnded.wait(for: urgent)
    #expect(urgentInside.entered == urgent)
    #expect(urgentInside.most <= width)
    #expect(inside.most <= 2 * width)
    #expect(started.entered == width)
    urgentHaveRun.release()
    try ended.wait(for: plain)
    #expect(inside.entered == plain + urgent)
  }

  /// A word that threads wait for.
  final class Word: Sendable {
    private let word = Atomic<UInt32>(0)
    var isReleased: Bool { word.load(ordering: .acquiring) == 1 }

    func wait() {
      while !isReleased {
        _ = Parking.wait(
          while: wordAddress(word), is: 0, until: .never, for: .test, on: .named("a word"))
      }
    }

    func release() {
      word.store(1, ordering: .releasing)
      Parking.wake(wordAddress(word), count: Int32.max)
    }
  }
}
