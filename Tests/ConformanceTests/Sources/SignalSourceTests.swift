// SignalSourceTests — signal sources.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Signal sources", .guarded)
struct SignalSourceTests {
  @Test func aSignalIsReported() throws {
    try SpareSignal.with { signals in
      let heard = HeardSignals(signals[0])
      #expect(heard.source.handle == UInt(signals[0]))
      #expect(heard.source.mask == 0)
      for expected in 1...3 {
        raise(signals[0])
        try heard.sum.wait(for: expected)
      }
      #expect(heard.sum.value == 3)
      try heard.cancel()
    }
  }

  @Test func aSignalToTheWholeProcessIsReported() throws {
    try SpareSignal.with { signals in
      let heard = HeardSignals(signals[0])
      kill(getpid(), signals[0])
      try heard.sum.wait(for: 1)
      try heard.cancel()
    }
  }

  @Test func signalsDuringASuspensionMakeOneCallWithTheirNumber() throws {
    try SpareSignal.with { signals in
      let heard = HeardSignals(signals[0])
      heard.source.suspend()
      for _ in 0..<5 { raise(signals[0]) }
      letRealTimePass(RealTime.settling)
      #expect(heard.told.all.isEmpty)
      heard.source.resume()
      try heard.sum.wait(for: 5)
      #expect(heard.told.all == [5])
      try heard.cancel()
    }
  }

  @Test func signalsWhileTheHandlerRunsMakeOneMoreCall() throws {
    try SpareSignal.with { signals in
      let signal = signals[0]
      let source = DispatchSource.makeSignalSource(signal: signal)
      let told = EventLog<UInt>()
      let calls = EventCounter("calls")
      source.setEventHandler { [weak sourceObject = source as? DispatchSource] in
        told.append(sourceObject?.data ?? 0)
        // The worker may have inherited a mask that blocks the signal.
        if calls.value == 0 { SpareSignal.raiseAtOnce(signal, times: 3) }
        calls.increment()
      }
      source.activate()
      raise(signal)
      try calls.wait(for: 2)
      #expect(told.all == [1, 3])
      source.cancel()
    }
  }

  @Test func eachOfSeveralSourcesIsCalled() throws {
    try SpareSignal.with { signals in
      let all = (0..<3).map { _ in HeardSignals(signals[0]) }
      for _ in 0..<4 { raise(signals[0]) }
      for heard in all { try heard.sum.wait(for: 4) }
      try all[0].cancel()
      for _ in 0..<2 { raise(signals[0]) }
      for heard in all.dropFirst() { try heard.sum.wait(for: 6) }
      #expect(all[0].sum.value == 4)
      for heard in all.dropFirst() { try heard.cancel() }
    }
  }

  @Test func differentSignalsAreDistinguished() throws {
    try SpareSignal.with(2) { signals in
      let all = signals.map { HeardSignals($0) }
      for _ in 0..<3 { raise(signals[0]) }
      raise(signals[1])
      try all[0].sum.wait(for: 3)
      try all[1].sum.wait(for: 1)
      #expect(all.map(\.sum.value) == [3, 1])
      for heard in all { try heard.cancel() }
    }
  }

  @Test func onlySignalsAfterTheActivationAreCounted() throws {
    try SpareSignal.with { signals in
      signal(signals[0], SIG_IGN)
      let first = HeardSignals(signals[0])
      let second = HeardSignals(signals[0], active: false)
      for _ in 0..<3 { raise(signals[0]) }
      second.source.activate()
      raise(signals[0])
      try first.sum.wait(for: 4)
      try second.sum.wait(for: 1)
      #expect(second.sum.value == 1)
      try first.cancel()
      try second.cancel()
    }
  }

  /// The kernel keeps one pending signal for an ordinary number, and queues real-time signals.
  @Test func everySignalThatTheKernelDeliversIsCounted() throws {
    try SpareSignal.with { signals in
      let queued = HeardSignals(signals[0])
      SpareSignal.raiseAtOnce(signals[0], times: 4)
      try queued.sum.wait(for: 4)
      #expect(queued.sum.value == 4)
      try queued.cancel()
    }
    let blocked = SpareSignal.unblock([SIGURG])
    defer { SpareSignal.block(blocked) }
    let ordinary = HeardSignals(SIGURG)
    SpareSignal.raiseAtOnce(SIGURG, times: 4)
    try ordinary.sum.wait(for: 1)
    raise(SIGURG)
    try ordinary.sum.wait(for: 2)
    #expect(ordinary.sum.value == 2)
    try ordinary.cancel()
  }

  @Test func nothingIsReportedAfterACancelInTheHandler() throws {
    try SpareSignal.with { signals in
      signal(signals[0], SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: signals[0])
      let calls = EventCounter("calls"), ends = EventCounter("cancel handlers")
      source.setEventHandler { [weak sourceObject = source as? DispatchSource] in
        calls.increment()
        sourceObject?.cancel()
      }
      source.setCancelHandler { ends.increment() }
      source.activate()
      raise(signals[0])
      try ends.wait(for: 1)
      raise(signals[0])
      letRealTimePass(RealTime.settling)
      #expect(calls.value == 1)
      #expect(source.isCancelled)
    }
  }

  @Test func theHandlerRunsOnTheQueueOfTheSource() throws {
    try SpareSignal.with { signals in
      let queue = DispatchQueue(label: "org.signalbox.tests.signals")
      let source = DispatchSource.makeSignalSource(signal: signals[0], queue: queue)
      let calls = EventCounter("calls")
      source.setEventHandler {
        dispatchPrecondition(condition: .onQueue(queue))
        calls.increment()
      }
      source.activate()
      raise(signals[0])
      try calls.wait(for: 1)
      source.cancel()
    }
  }
}
