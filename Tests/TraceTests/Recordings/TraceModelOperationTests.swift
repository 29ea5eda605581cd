// TraceModelOperationTests — what a trace contains about operations.

import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct TraceModelOperationTests {
  /// Adds the step of the operation `object` at this time to `image`.
  private func step(
    _ at: UInt64, _ thread: UInt32, _ step: OperationStep, _ object: UInt64,
    in image: inout ImageBuilder
  ) {
    image.event(at, thread, .operation, object, a: step.rawValue)
  }

  @Test func theStepsOfAnOperationAreInOrder() throws {
    var image = ImageBuilder()
    image.object(5, .operation, "fetch")
    image.object(6, .operation, "unpack")
    step(1, 1, .enqueued, 6, in: &image)
    step(2, 1, .enqueued, 5, in: &image)
    step(3, 1, .ready, 5, in: &image)
    image.event(10, 2, .itemStarted, 7, 64)
    step(11, 2, .started, 5, in: &image)
    step(12, 2, .finished, 5, in: &image)
    step(13, 2, .ready, 6, in: &image)
    // A subclass of the program said no; then the operation is ready once more.
    step(14, 2, .ready, 6, in: &image)
    image.event(15, 2, .itemFinished, 7, 64)
    image.event(20, 3, .itemStarted, 7, 128)
    step(21, 3, .started, 6, in: &image)
    step(22, 1, .cancelled, 6, in: &image)
    let trace = try image.trace()
    let operations = trace.operations
    let names = operations.object.map { trace.string(trace.objects[Int($0)].name) }
    #expect(names == ["unpack", "fetch"])
    #expect(operations.queued == [1, 2] && operations.ready == [14, 3])
    #expect(operations.started == [21, 11] && operations.finished == [-1, 12])
    #expect(operations.cancelled == [22, -1])
    #expect(operations.thread.map { trace.threads[Int($0)].number } == [3, 2])
    #expect(operations.item == [1, 0])
  }

  @Test func aCancelledOperationNeverStarts() throws {
    var image = ImageBuilder()
    step(1, 1, .cancelled, 5, in: &image)
    step(2, 1, .enqueued, 5, in: &image)
    step(3, 2, .finished, 5, in: &image)
    let operations = try image.trace().operations
    #expect(operations.cancelled == [1] && operations.queued == [2] && operations.finished == [3])
    #expect(operations.started == [-1] && operations.thread == [-1] && operations.item == [-1])
  }

  @Test func theEndOfAnOperationWakesItsWaiters() throws {
    try withEvery("step", in: [OperationStep.finished, .cancelled]) { end in
      var image = ImageBuilder()
      image.event(1, 1, .waitBegan, 5, a: 1)
      step(2, 2, end, 5, in: &image)
      image.event(3, 1, .waitEnded, 5)
      let trace = try image.trace()
      #expect(trace.waits.waker.map { $0 < 0 ? 0 : trace.threads[Int($0)].number } == [2])
    }
  }

  @Test func aProgramsOperationsAreRecorded() throws {
    let trace = TraceModel(try Recorded("operations").recording)
    let operations = trace.operations
    let names = operations.object.map { trace.string(trace.objects[Int($0)].name) }
    #expect(names.sorted() == ["fetch", "refused", "unpack"])
    let fetch = try #require(names.firstIndex(of: "fetch"))
    let unpack = try #require(names.firstIndex(of: "unpack"))
    let refused = try #require(names.firstIndex(of: "refused"))
    for row in [fetch, unpack] {
      let times = [
        operations.queued[row], operations.ready[row], operations.started[row],
        operations.finished[row],
      ]
      #expect(times == times.sorted() && times[0] >= 0 && operations.cancelled[row] == -1)
      // The operation ran in an item of its queue.
      let item = try #require(operations.item[row] >= 0 ? Int(operations.item[row]) : nil)
      #expect(trace.queueName(trace.items.queue[item]).contains("parcels"))
      #expect(trace.items.started[item] <= operations.started[row])
    }
    #expect(operations.ready[unpack] >= operations.finished[fetch])
    #expect(operations.started[refused] == -1 && operations.cancelled[refused] >= 0)
    #expect(operations.finished[refused] >= operations.queued[refused])
    let text = try #require(PlainText(trace).events)
    for line in ["operation \"unpack\" is ready", "operation \"refused\" is cancelled"] {
      #expect(text.contains(line))
    }
  }
}
