// AdviceRuleTests — each rule of advice on both sides of each of its thresholds, on hand-made
// programs.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct AdviceRuleTests {
  private func image() -> ImageBuilder {
    var image = ImageBuilder()
    image.chunkSize = 1 << 20
    image.queue(7, "made.up")
    image.thread(1, "one")
    image.thread(2, "two")
    return image
  }

  private func kinds(_ image: ImageBuilder) throws -> [Advice.Kind] {
    try image.trace().advice.map(\.kind)
  }

  // MARK: A queue as a lock

  private func lock(
    calls: UInt64, section: UInt64, others: UInt64, _ kind: TraceQueueKind = .serial
  ) -> ImageBuilder {
    var image = image()
    image.names.removeAll { $0.subject == .queue }
    image.queue(7, "made.up", kind)
    var time: UInt64 = 0
    for _ in 0..<calls {
      image.event(time + 3, 1, .syncEntered, 7, image.began + time)
      image.event(time + 3 + section, 1, .syncLeft, 7)
      time += 10_000
    }
    for index in 0..<others {
      image.event(time, 1, .itemSubmitted, 7, index)
      image.event(time + 1, 2, .itemStarted, 7, index)
      image.event(time + 900, 2, .itemFinished, 7, index)
      time += 1000
    }
    return image
  }

  @Test func aQueueCountsAsALockFromItsThousandthShortCall() throws {
    let advice = try lock(calls: 1000, section: 5000, others: 111).trace().advice
    #expect(advice.map(\.kind) == [.queueAsLock])
    #expect(advice[0].queue == "made.up" && advice[0].count == 1000)
    #expect(advice[0].nanoseconds == 3000 && advice[0].places.isEmpty)
    #expect(
      advice[0].finding.hasPrefix("1000 of the 1111 items of the queue \"made.up\" were calls"))
    #expect(try kinds(lock(calls: 1000, section: 5000, others: 112)) == [])
    #expect(try kinds(lock(calls: 999, section: 5000, others: 0)) == [])
    #expect(try kinds(lock(calls: 1000, section: 5001, others: 0)) == [])
    #expect(try kinds(lock(calls: 1000, section: 5000, others: 0, .concurrent)) == [.queueAsLock])
    for kind in [TraceQueueKind.main, .global] {
      #expect(try kinds(lock(calls: 1000, section: 1, others: 0, kind)) == [], "\(kind)")
    }
  }

  // MARK: Short items

  /// - Parameter followers: Items submitted while another one runs.
  private func handOffs(
    _ count: UInt64, handOff: UInt64 = 100, running: UInt64 = 99, every period: UInt64 = 1000,
    followers: UInt64 = 0, flags: UInt8 = 0
  ) -> ImageBuilder {
    var image = image()
    for index in 0..<count {
      let time = index * period
      image.event(time, 1, .itemSubmitted, 7, index, flags: flags)
      image.event(time + handOff, 2, .itemStarted, 7, index)
      if index < followers { image.event(time + handOff, 1, .itemSubmitted, 7, index + count) }
      image.event(time + handOff + running, 2, .itemFinished, 7, index)
      guard index < followers else { continue }
      image.event(time + handOff + running, 2, .itemStarted, 7, index + count)
      image.event(time + handOff + 2 * running, 2, .itemFinished, 7, index + count)
    }
    if followers > count {
      image.event(count * period, 2, .itemStarted, 7, 1 << 20)
      image.event(count * period + 5, 1, .itemSubmitted, 7, 1 << 21)
      image.event(count * period + 99, 2, .itemFinished, 7, 1 << 20)
      image.event(count * period + 99, 2, .itemStarted, 7, 1 << 21)
      image.event(count * period + 198, 2, .itemFinished, 7, 1 << 21)
    }
    return image
  }

  @Test func itemsShorterThanTheirHandOffAreShort() throws {
    let advice = try handOffs(1000).trace().advice
    #expect(advice.map(\.kind) == [.shortItems])
    #expect(advice[0].queue == "made.up" && advice[0].count == 1000)
    #expect(advice[0].nanoseconds == 100_000)
    #expect(
      advice[0].finding.contains("ran for 99 ns or less, and half of the hand-offs took 100 ns"))
    #expect(try kinds(handOffs(1000, running: 100)) == [])
    #expect(try kinds(handOffs(999)) == [])
    // Half of the items follow others, and then more than half.
    #expect(try kinds(handOffs(1000, followers: 1000)) == [.shortItems])
    #expect(try kinds(handOffs(1000, followers: 1001)) == [])
    // A hundredth of the time, and then less.
    #expect(try kinds(handOffs(1000, every: 10_000)) == [.shortItems])
    #expect(try kinds(handOffs(1000, every: 10_011)) == [])
    // Items of timers and sources do not count.
    #expect(try kinds(handOffs(1000, flags: 2)) == [] && kinds(handOffs(1000, flags: 4)) == [])
  }

  // MARK: Blocked workers

  private func crowd(_ count: UInt32, _ role: TraceThreadRole = .worker) -> ImageBuilder {
    var image = image()
    image.object(5, .semaphore, "slots")
    for thread in 11..<11 + count {
      image.thread(thread, "w\(thread)", role)
      image.event(UInt64(thread), thread, .itemStarted, 7, UInt64(thread))
      image.event(UInt64(thread), thread, .waitBegan, 5, a: 1)
    }
    for thread in 11..<11 + count {
      image.event(1000, thread, .waitEnded, 5)
      image.event(1000, thread, .itemFinished, 7, UInt64(thread))
    }
    image.event(1 << 40, 1, .mark, 0, 3)
    return image
  }

  private func waits(_ count: UInt64, of length: UInt64, in duration: UInt64) -> ImageBuilder {
    var image = image()
    image.thread(2, "two", .worker)
    image.event(0, 2, .itemStarted, 7, 64)
    for index in 0..<count {
      image.event(index * length, 2, .waitBegan, 5, a: 1)
      image.event((index + 1) * length, 2, .waitEnded, 5)
    }
    image.event(duration, 1, .mark, 0, 3)
    return image
  }

  @Test func workersAreBlockedIfTwiceTheWidthWait() throws {
    let advice = try crowd(8).trace().advice
    #expect(advice.map(\.kind) == [.blockedWorkers])
    #expect(advice[0].queue == "made.up" && advice[0].count == 8)
    #expect(advice[0].finding.contains("up to 8 at once, in a pool of 4 workers; 8 of the waits"))
    #expect(advice[0].finding.contains("for a signal of the semaphore \"slots\""))
    #expect(try kinds(crowd(7)) == [])
    #expect(try kinds(crowd(8, .other)) == [])
  }

  @Test func workersThatWaitForAQuarterOfThePoolsTimeAreBlocked() throws {
    #expect(try kinds(waits(100, of: 100, in: 10_000)) == [.blockedWorkers])
    #expect(try kinds(waits(100, of: 100, in: 10_001)) == [])
    #expect(try kinds(waits(99, of: 200, in: 19_800)) == [])
  }

  // MARK: A deep queue

  private func depth(_ first: UInt64, _ second: UInt64 = 0, flags: UInt8 = 0) -> ImageBuilder {
    var image = image()
    for index in 0..<first + second {
      image.event(index, index < first ? 1 : 2, .itemSubmitted, 7, index, flags: flags)
    }
    let end = first + second
    for index in 0..<end {
      image.event(end + index * 3, 3, .itemStarted, 7, index)
      image.event(end + index * 3 + 2, 3, .itemFinished, 7, index)
    }
    return image
  }

  @Test func aQueueIsDeepIfAThousandItemsOfOneProducerWait() throws {
    let advice = try depth(1000).trace().advice
    #expect(advice.map(\.kind) == [.deepQueue])
    #expect(advice[0].queue == "made.up" && advice[0].thread == "one" && advice[0].count == 1000)
    #expect(advice[0].nanoseconds == 2998)
    #expect(
      advice[0].finding.hasSuffix("1000 of its 1000 items were submitted by the thread \"one\""))
    #expect(try kinds(depth(999)) == [])
    #expect(try kinds(depth(900, 100)) == [.deepQueue])
    #expect(try kinds(depth(899, 101)) == [])
    #expect(try kinds(depth(1000, flags: 4)) == [])
  }

  @Test func theItemsOfASerialQueueCountAsOneProducer() throws {
    var image = image()
    image.queue(8, "producer")
    for item in 0..<10 as Range<UInt64> {
      let thread = UInt32(item) + 1
      image.event(item * 1000, thread, .itemStarted, 8, 1 << 20 + item)
      for index in 0..<100 as Range<UInt64> {
        image.event(item * 1000 + index, thread, .itemSubmitted, 7, item * 100 + index)
      }
      image.event(item * 1000 + 500, thread, .itemFinished, 8, 1 << 20 + item)
    }
    let advice = try image.trace().advice
    #expect(advice.map(\.kind) == [.deepQueue] && advice[0].thread.isEmpty)
    #expect(
      advice[0].finding.hasSuffix(
        "1000 of its 1000 items were submitted by items of the queue \"producer\""))
    // In a concurrent queue, each item may follow another's.
    image.names.removeAll { $0.id == 8 }
    image.queue(8, "producer", .concurrent)
    #expect(try kinds(image) == [])
  }

  // MARK: The main thread

  private func mainWait(
    _ length: UInt64, _ object: TraceObjectKind = .semaphore, hasWork: Bool = true
  ) -> ImageBuilder {
    var image = image()
    image.thread(1, "ui", .main)
    image.queue(9, "main", .main)
    image.object(5, object, "answer")
    image.event(0, 1, .waitBegan, 5, a: 1)
    if hasWork { image.event(7, 2, .itemSubmitted, 9, 64) }
    image.event(length, 1, .waitEnded, 5)
    if hasWork { image.event(length + 5, 1, .itemStarted, 9, 64) }
    return image
  }

  @Test func theMainThreadMustNotWaitAsLongAsAFrame() throws {
    let advice = try mainWait(16_000_000).trace().advice
    #expect(advice.map(\.kind) == [.mainThreadWait])
    #expect(advice[0].thread == "ui" && advice[0].count == 1)
    #expect(advice[0].nanoseconds == 16_000_000)
    #expect(advice[0].finding.hasPrefix("the main thread waited once for longer than a frame ("))
    #expect(advice[0].finding.contains("), for a signal of the semaphore \"answer\"; "))
    #expect(advice[0].finding.hasSuffix("1 item of the main queue was held up"))
    #expect(try kinds(mainWait(15_999_999)) == [])
    #expect(try kinds(mainWait(16_000_000, .runLoop)) == [])
    #expect(try kinds(mainWait(16_000_000, hasWork: false)) == [])
  }

  @Test(arguments: [
    (0, "no item of the main queue was held up"), (1, "1 item of the main queue was held up"),
    (2, "2 items of the main queue were held up"),
  ])
  func itemsDelayedByAWaitOfTheMainThreadAreCounted(_ heldUp: Int, _ words: String) throws {
    var image = image()
    image.thread(1, "ui", .main)
    image.queue(9, "main", .main)
    image.object(5, .semaphore, "")
    image.event(0, 1, .waitBegan, 5, a: 1)
    for item in 0..<UInt64(heldUp) { image.event(7 + item, 2, .itemSubmitted, 9, 64 + item) }
    image.event(16_000_000, 1, .waitEnded, 5)
    // This submission comes later.
    image.event(16_000_100, 2, .itemSubmitted, 9, 80)
    for item in 0..<UInt64(heldUp) { image.event(16_000_200, 1, .itemStarted, 9, 64 + item) }
    image.event(16_000_300, 1, .itemStarted, 9, 80)
    let advice = try image.trace().advice
    #expect(
      advice.map(\.finding) == [
        "the main thread waited once for longer than a frame (16 ms), for a signal of a semaphore; "
          + words
      ])
  }

  @Test func severalWaitsOfTheMainThreadMakeOneFinding() throws {
    var image = mainWait(16_000_000)
    image.event(20_000_000, 1, .waitBegan, 5, a: 1)
    image.event(60_000_000, 1, .waitEnded, 5)
    #expect(
      try image.trace().advice.map(\.finding) == [
        "the main thread waited 2 times for longer than a frame (at most 40 ms), for a signal of the "
          + "semaphore \"answer\"; 1 item of the main queue was held up"
      ])
  }

  /// A program that waits once a frame for hours looks like this.
  @Test func manyWaitsAndMuchWorkOfTheMainThreadAreLookedAtInTime() throws {
    var image = mainWait(16_000_000)
    image.chunkSize = 1 << 24
    for frame in 1...40_000 as ClosedRange<UInt64> {
      let time = frame * 40_000_000
      image.event(time, 1, .waitBegan, 5, a: 3)
      image.event(time + 1, 2, .itemSubmitted, 9, 64)
      image.event(time + 20_000_000, 1, .waitEnded, 5, a: 3)
      image.event(time + 21_000_000, 1, .itemStarted, 9, 64)
      image.event(time + 22_000_000, 1, .itemFinished, 9, 64)
      image.event(time + 23_000_000, 2, .itemSubmitted, 9, 64)
      image.event(time + 24_000_000, 1, .itemStarted, 9, 64)
      image.event(time + 25_000_000, 1, .itemFinished, 9, 64)
    }
    let advice = try image.trace().advice.filter { $0.kind == .mainThreadWait }
    #expect(advice.count == 1 && advice[0].count == 40_001)
    #expect(advice[0].finding.hasSuffix("40001 items of the main queue were held up"))
  }

  // MARK: Priority inversion

  private func inversion(
    _ length: UInt64, _ waiter: UInt8, _ holder: UInt16, isHeld: Bool = true
  ) -> ImageBuilder {
    var image = image()
    image.queue(8, "low")
    image.object(5, .lock, "state")
    image.event(0, 2, .itemSubmitted, 8, 128)
    image.event(1, 2, .itemStarted, 8, 128, a: holder)
    image.event(2, 1, .itemStarted, 7, 64, a: UInt16(waiter))
    image.event(10, 1, .waitBegan, 5, flags: waiter << 4, a: 8, b: isHeld ? 2 : 0)
    image.event(10 + length, 2, isHeld ? .lockLeft : .semaphoreSignalled, 5)
    image.event(10 + length, 1, .waitEnded, 5, a: 8, b: 2)
    return image
  }

  @Test func anItemMustNotWaitForOneOfALowerClass() throws {
    let advice = try inversion(1_000_000, 5, 1).trace().advice
    #expect(advice.map(\.kind) == [.priorityInversion])
    #expect(advice[0].queue == "made.up" && advice[0].thread == "one" && advice[0].count == 1)
    #expect(
      advice[0].finding == "an item of the queue \"made.up\" (userInteractive) waited 1 ms for "
        + "the lock \"state\", behind an item of the queue \"low\" (background)")
    #expect(try kinds(inversion(999_999, 5, 1)) == [])
    #expect(try kinds(inversion(1_000_000, 2, 1)) == [.priorityInversion])
    for (waiter, holder) in [(1, 1), (1, 5), (0, 1), (6, 1), (5, 0), (5, 6)] as [(UInt8, UInt16)] {
      #expect(try kinds(inversion(1_000_000, waiter, holder)) == [], "\(waiter) \(holder)")
    }
    // If no thread holds the object, the thread that ends the wait counts.
    #expect(try kinds(inversion(1_000_000, 3, 2, isHeld: false)) == [.priorityInversion])
    #expect(try kinds(inversion(1_000_000, 2, 3, isHeld: false)) == [])
  }

  @Test func theAwaitedThreadMayHaveWaitedItself() throws {
    var image = image()
    image.queue(8, "low")
    image.event(5, 1, .itemSubmitted, 8, 128)
    image.event(10, 1, .waitBegan, 5, flags: 5 << 4, a: 2)
    image.event(2_000_005, 2, .itemStarted, 8, 128, a: 2)
    image.event(2_000_010, 2, .groupLeft, 5)
    image.event(2_000_011, 1, .waitEnded, 5, a: 2)
    let advice = try image.trace().advice
    #expect(advice.map(\.kind) == [.priorityInversion] && advice[0].queue.isEmpty)
    #expect(advice[0].finding.hasSuffix("(utility), which had itself waited 2 ms before it ran"))
  }

  // MARK: Places

  @Test func aPlaceBelongsToTheStepBeforeIt() throws {
    var image = image()
    for (id, text) in [(300, "submits()"), (301, "calls()"), (302, "waits()"), (303, "waited()")]
      as [(UInt64, String)]
    { image.text(id, text) }
    image.event(1, 1, .itemSubmitted, 7, 64)
    image.event(2, 1, .place, 0, 300, a: 0)
    image.event(3, 1, .syncEntered, 7, image.began + 3)
    image.event(4, 1, .place, 0, 301, a: 1)
    image.event(5, 1, .waitBegan, 5, a: 1)
    image.event(6, 1, .place, 0, 302, a: 2)
    image.event(7, 1, .waitEnded, 5)
    image.event(8, 1, .syncLeft, 7)
    image.event(9, 1, .waitBegan, 5, a: 1)
    image.event(10, 1, .waitEnded, 5)
    image.event(11, 1, .place, 0, 303, a: 3)
    // The place belonged to another step, which is lost; there is no such place.
    image.event(20, 1, .place, 0, 300, a: 0, lost: 2)
    image.event(21, 1, .place, 0, 300, a: 3)
    image.event(22, 1, .place, 0, 300, a: 77)
    let trace = try image.trace()
    #expect(trace.items.place.map(trace.string) == ["submits()", "calls()"])
    #expect(trace.waits.place.map(trace.string) == ["waits()", "waited()"])
  }

  @Test func theMostFrequentPlacesAreNamed() throws {
    var image = lock(calls: 1000, section: 1, others: 0)
    for (id, text) in [(300, "often()"), (301, "never()"), (302, "twice()"), (303, "")]
      as [(UInt64, String)]
    { image.text(id, text) }
    let calls = image.chunks[0].events
    image.chunks = []
    for (index, event) in calls.enumerated() {
      image.event(
        event.time - image.began, 1, event.kind, event.object, event.detail)
      let place: [Int: UInt64] = [0: 302, 2: 300, 4: 300, 6: 302, 8: 300, 10: 303]
      if let text = place[index] { image.event(event.time - image.began, 1, .place, 0, text, a: 1) }
    }
    let advice = try image.trace().advice
    #expect(advice[0].places.map(\.function) == ["often()", "twice()"])
    #expect(advice[0].places.map(\.count) == [3, 2])
    #expect(
      advice[0].text.split(separator: "\n").map(String.init)[1...2] == [
        "  at often() (3 samples)", "  at twice() (2 samples)",
      ])
  }

  @Test func functionsOfThisPackageAndTheCompilerAreNotPlaces() {
    for name in [
      "SignalboxDispatch.DispatchQueue.async() -> ()",
      "closure #1 () -> () in static SignalboxDiagnostics.TraceCapture.take() -> ()",
      "generic specialization <()> of SignalboxDispatch.DispatchQueue.sync<A>(() -> A) -> A",
      "Swift.withUnsafeMutableBytes<A>() -> A", "csb_backtrace", "swift_retain",
      "reabstraction thunk helper from @callee_guaranteed () -> () to @out ()", "start_thread",
      "partial apply forwarder for closure #1 in SignalboxLocks.NSLock.lock() -> ()",
      "closure #1 () -> () in SignalboxDropIn.dispatchSync() -> ()", "csd_block_invoke",
      "Dispatch.DispatchQueue.sync<A>(execute: () throws -> A) throws -> A", "dispatch_async",
      "dispatch_asyncTm",
      "_ZN5swift9AsyncTask26flagAsAndEnqueueOnExecutorENS_17SerialExecutorRefE",
    ] { #expect(!PlaceWords.isPlace(name), "\(name)") }
    for name in [
      "Shop.sell() -> ()", "closure #1 () -> () in static Shop.Till.open() -> ()", "main",
      "(extension in Shop):SignalboxDispatch.DispatchQueue.sell() -> ()",
      "partial apply forwarder for closure #1 () -> () in Shop.sell() -> ()",
      "SignalboxShop.sell() -> ()", "dispatch_order", "Foundation.OperationQueue.add() -> ()",
    ] { #expect(PlaceWords.isPlace(name), "\(name)") }
  }
}
