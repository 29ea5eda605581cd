// DebouncerTests — of many calls the last one runs, after a quiet time.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct DebouncerTests {
  private static let quietTime = DispatchTimeInterval.nanoseconds(
    Int(RealTime.delay.wholeNanoseconds))

  @Test func onlyTheLastCallRunsOnceAndNotBeforeTheQuietTime() throws {
    let debouncer = Debouncer(quietTime: Self.quietTime, queue: .global())
    let ran = EventLog<(call: Int, time: Uptime)>()
    let lastHasRun = Gate("the last call has run")
    var last = Uptime.now()
    // Each call came within the quiet time of the previous one, which was not due yet.
    var isSteady = true
    for call in 0..<50 {
      let before = last
      last = Uptime.now()
      debouncer.submit {
        ran.append((call, Uptime.now()))
        if call == 49 { lastHasRun.open() }
      }
      isSteady = isSteady && Uptime.now().since(before) < RealTime.delay
    }
    // If an earlier call ran too, it may record that it did after the last one.
    try lastHasRun.wait()
    let lastRun = try #require(ran.all.first { $0.call == 49 })
    #expect(lastRun.time.since(last) >= RealTime.delay)
    letRealTimePass(RealTime.delay + RealTime.settling)
    #expect(ran.all.count { $0.call == 49 } == 1)
    if isSteady { #expect(ran.count == 1) }
  }

  /// The work is postponed as long as calls keep coming.
  @Test func eachCallPostponesTheWork() throws {
    let debouncer = Debouncer(quietTime: Self.quietTime, queue: .global())
    let ran = EventLog<Uptime>()
    let begun = Uptime.now()
    var last = begun
    // Each call must come well within the quiet time of the previous one. Otherwise the test
    // stops and checks nothing.
    var isSteady = true
    while last.since(begun) < RealTime.delay * 3 {
      letRealTimePass(RealTime.settling)
      let before = last
      last = Uptime.now()
      debouncer.submit { ran.append(Uptime.now()) }
      isSteady = isSteady && Uptime.now().since(before) < RealTime.delay
    }
    let first = try ran.wait(forCount: 1)[0]
    if isSteady { #expect(first.since(begun) >= RealTime.delay * 4) }
    #expect(first.since(begun) >= RealTime.delay)
  }

  @Test func callsFarApartAllRun() throws {
    let debouncer = Debouncer(quietTime: .nanoseconds(0), queue: .global())
    let ran = EventLog<Int>()
    for call in 0..<20 {
      debouncer.submit { ran.append(call) }
      try ran.wait(forCount: call + 1)
    }
    #expect(ran.all == Array(0..<20))
  }

  @Test func supersededCallIsFreedAtOnce() {
    let debouncer = Debouncer(quietTime: .seconds(1_000), queue: .global())
    let tracker = LeakTracker()
    for call in 0..<10 {
      let object = tracker.makeObject()
      debouncer.submit { object.touch() }
      #expect(tracker.freed == call)
    }
    #expect(tracker.alive == 1)
    debouncer.cancel()
    #expect(tracker.alive == 0)
  }

  @Test func workThatHasRunIsFreed() throws {
    let debouncer = Debouncer(quietTime: .nanoseconds(0), queue: .global())
    let tracker = LeakTracker()
    do {
      let object = tracker.makeObject()
      debouncer.submit { object.touch() }
    }
    try tracker.waitUntilAllAreFreed()
    debouncer.cancel()
  }

  @Test func cancelledCallNeverRunsAndTheNextDoes() throws {
    let debouncer = Debouncer(quietTime: Self.quietTime, queue: .global())
    let ran = EventLog<Int>()
    let begun = Uptime.now()
    debouncer.submit { ran.append(1) }
    debouncer.cancel()
    // Work that was due before its cancellation may have run.
    let isInTime = Uptime.now() < begun + RealTime.delay
    debouncer.cancel()
    letRealTimePass(RealTime.delay + RealTime.settling)
    if isInTime { #expect(ran.all == []) }
    let next = Gate("the next call")
    debouncer.submit { next.open() }
    try next.wait()
  }

  /// The work is due, but its queue is busy: a call or a cancellation still comes in time.
  @Test func callThatIsDueButHasNotBegunIsSuperseded() throws {
    try withEvery("cancelled", in: [false, true]) { isCancelled in
      let queue = DispatchQueue(label: "org.signalbox.tests.busy")
      let isBusy = Gate("the queue is busy")
      let mayEnd = Gate("the queue may go on")
      queue.async {
        isBusy.open()
        mayEnd.pass()
      }
      try isBusy.wait()
      let debouncer = Debouncer(quietTime: .nanoseconds(0), queue: queue)
      let ran = EventLog<Int>()
      debouncer.submit { ran.append(1) }
      letRealTimePass(RealTime.settling)
      if isCancelled { debouncer.cancel() } else { debouncer.submit { ran.append(2) } }
      mayEnd.open()
      if isCancelled {
        letRealTimePass(RealTime.settling)
        queue.sync {}
        #expect(ran.all == [])
      } else {
        try #expect(ran.wait(forCount: 1) == [2])
      }
    }
  }

  @Test func callFromWithinTheWorkRunsToo() throws {
    let queue = DispatchQueue(label: "org.signalbox.tests.debounced")
    let debouncer = Debouncer(quietTime: .milliseconds(1), queue: queue)
    let ran = EventLog<Int>()
    @Sendable func step(_ number: Int) {
      debouncer.submit {
        dispatchPrecondition(condition: .onQueue(queue))
        ran.append(number)
        if number < 10 { step(number + 1) }
      }
    }
    step(1)
    try #expect(ran.wait(forCount: 10) == Array(1...10))
  }

  @Test func pendingCallOfAReleasedDebouncerRuns() throws {
    let watch = WeakWatch()
    let ran = EventCounter("calls")
    do {
      let debouncer = watch.watch(Debouncer(quietTime: .milliseconds(1), queue: .global()))
      debouncer.submit { ran.increment() }
    }
    try ran.wait(for: 1)
    try watch.waitUntilAllAreFreed()
  }
}
