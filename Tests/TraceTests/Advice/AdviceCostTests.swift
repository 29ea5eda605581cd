// AdviceCostTests — the cost of advice: which steps it records, and how long a look takes.

import Glibc
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

extension AdviceTests {
  /// A step that no rule uses would cost the program time, and take the room of
  /// a step that a rule uses.
  @Test func onlyStepsThatARuleLooksAtAreRecorded() throws {
    let facts = try ChildProgram("TraceFacts").run(
      ["advice-kinds"], environment: ["SIGNALBOX_ADVICE": "/dev/null"]
    ).facts
    #expect(facts["groupLeft"] == "100", "\(facts)")
    #expect(facts["groupEntered"] == nil && facts["workerParked"] == nil, "\(facts)")
    #expect(facts["workerUnparked"] == nil && facts["workerWoken"] == nil, "\(facts)")
    #expect(facts["itemFinished"] != nil && facts["place"] != nil, "\(facts)")
  }

  /// How long the trace and the rules may take, as a multiple of the time that
  /// decoding takes. Without optimization, a method call on a structure retains
  /// each array in it; one such call for each event exceeds the limit.
  private static let mostTimes = 12.0

  @Test(arguments: AdviceTests.programs.indices)
  func aLookTakesAFewTimesAsLongAsReading(_ index: Int) throws {
    let bytes = AdviceTests.programs[index]().bytes
    let recording = try TraceRecording(bytes)
    #expect(recording.events.count == 60_000)
    var (reading, looking) = (Double.infinity, Double.infinity)
    // Other programs use the caches and the other half of the core: a busy machine takes more
    // rounds.
    for _ in 0..<30 where looking >= AdviceTests.mostTimes * reading {
      reading = min(reading, try time { _ = try TraceRecording(bytes) })
      looking = min(looking, time { _ = TraceModel(recording).advice })
    }
    #expect(looking < AdviceTests.mostTimes * reading, "\(looking) s after \(reading) s")
  }

  /// The processor time of this thread, which excludes other work on the machine.
  private func time(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let began = now()
    try body()
    return now() - began
  }

  // MARK: Programs

  private static let programs: [@Sendable () -> ImageBuilder] = [
    // Many tests, each with its own queue.
    { items(20_000, queues: 200, isDeep: false) },
    // One queue, with one item after the other, and with all items at once.
    { items(20_000, queues: 1, isDeep: false) },
    { items(20_000, queues: 1, isDeep: true) },
    { waits(15_000) },
  ]

  private static func image(queues: Int) -> ImageBuilder {
    var image = ImageBuilder()
    image.chunkSize = 1 << 20
    for queue in 0..<queues { image.queue(UInt64(7 + queue), "made.up.\(queue)") }
    image.thread(1, "one")
    image.thread(2, "two", .worker)
    return image
  }

  private static func items(_ count: Int, queues: Int, isDeep: Bool) -> ImageBuilder {
    var image = image(queues: queues)
    let later = isDeep ? UInt64(count) * 100 : 10
    for index in 0..<count {
      let (queue, address) = (UInt64(7 + index * queues / count), UInt64(index + 1))
      image.event(UInt64(index) * 100, 1, .itemSubmitted, queue, address)
      image.event(UInt64(index) * 100 + later, 2, .itemStarted, queue, address)
      image.event(UInt64(index) * 100 + later + 20, 2, .itemFinished, queue, address)
    }
    return image
  }

  /// One item that waits for a semaphore again and again.
  private static func waits(_ count: Int) -> ImageBuilder {
    var image = image(queues: 1)
    image.object(1, .semaphore, "slots")
    image.event(0, 2, .itemStarted, 7, 1)
    for index in 0..<count {
      let time = UInt64(index) * 100 + 1
      image.event(time, 2, .waitBegan, 1, a: UInt16(WaitReason.semaphore.rawValue))
      image.event(time + 10, 1, .semaphoreSignalled, 1)
      image.event(time + 20, 2, .waitEnded, 1, a: UInt16(WaitReason.semaphore.rawValue))
      // The item's start takes the place of one event.
      if index > 0 { image.event(time + 30, 1, .groupLeft, 2) }
    }
    return image
  }
}
