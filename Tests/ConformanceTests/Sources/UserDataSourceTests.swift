// UserDataSourceTests — sources whose events the program itself makes.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct UserDataSourceTests {
  static func log(
    _ source: any DispatchSourceProtocol, _ log: EventLog<UInt>
  ) {
    let shared = Shared(source)
    source.setEventHandler { log.append(shared.value.data) }
  }

  // MARK: While it is suspended

  @Test func additionsBecomeOneSum() throws {
    let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "test.add"))
    let data = EventLog<UInt>()
    Self.log(source, data)
    for number in 1...10 { source.add(data: UInt(number)) }
    source.activate()
    try #expect(data.wait(forCount: 1) == [55])
    source.suspend()
    for _ in 0..<1_000 { source.add(data: 3) }
    source.resume()
    try #expect(data.wait(forCount: 2) == [55, 3_000])
    letRealTimePass(RealTime.settling)
    #expect(data.count == 2)
    try end(source)
  }

  @Test func bitsAreCombined() throws {
    let source = DispatchSource.makeUserDataOrSource(queue: DispatchQueue(label: "test.or"))
    let data = EventLog<UInt>()
    Self.log(source, data)
    for bits: UInt in [1, 4, 4, 1 << 63] { source.or(data: bits) }
    source.activate()
    try #expect(data.wait(forCount: 1) == [1 << 63 | 5])
    source.suspend()
    for bits: UInt in [2, 8, 2] { source.or(data: bits) }
    source.resume()
    try #expect(data.wait(forCount: 2).last == 10)
    letRealTimePass(RealTime.settling)
    #expect(data.count == 2)
    try end(source)
  }

  @Test func theLastValueReplacesTheOthers() throws {
    let source = DispatchSource.makeUserDataReplaceSource(
      queue: DispatchQueue(label: "test.replace"))
    let data = EventLog<UInt>()
    Self.log(source, data)
    for value: UInt in [7, 9, .max, 3] { source.replace(data: value) }
    source.activate()
    try #expect(data.wait(forCount: 1) == [3])
    source.suspend()
    for value: UInt in [1, 2, .max] { source.replace(data: value) }
    source.resume()
    try #expect(data.wait(forCount: 2).last == .max)
    letRealTimePass(RealTime.settling)
    #expect(data.count == 2)
    try end(source)
  }

  @Test func zeroIsNotAnEvent() throws {
    let queue = DispatchQueue(label: "test.zero")
    let adder = DispatchSource.makeUserDataAddSource(queue: queue)
    let setter = DispatchSource.makeUserDataOrSource(queue: queue)
    let replacer = DispatchSource.makeUserDataReplaceSource(queue: queue)
    let data = EventLog<UInt>()
    for source in [adder, setter, replacer] as [any DispatchSourceProtocol] {
      Self.log(source, data)
      source.activate()
    }
    adder.add(data: 0)
    setter.or(data: 0)
    replacer.replace(data: 0)
    letRealTimePass(RealTime.settling)
    #expect(data.count == 0)
    for source in [adder, setter, replacer] as [any DispatchSourceProtocol] { try end(source) }
  }

  @Test func valueReplacedByZeroIsNotReported() throws {
    let source = DispatchSource.makeUserDataReplaceSource(
      queue: DispatchQueue(label: "test.taken.back"))
    let data = EventLog<UInt>()
    Self.log(source, data)
    source.replace(data: 5)
    source.replace(data: 0)
    source.activate()
    letRealTimePass(RealTime.settling)
    #expect(data.count == 0)
    source.replace(data: 6)
    try #expect(data.wait(forCount: 1) == [6])
    try end(source)
  }

  // MARK: While the handler runs

  @Test func dataStaysTheSameWhileTheHandlerRuns() throws {
    let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "test.stable"))
    let shared = Shared(source)
    let data = EventLog<UInt>()
    let running = Gate("running")
    let gate = Gate()
    source.setEventHandler {
      let before = shared.value.data
      running.open()
      gate.pass()
      #expect(shared.value.data == before)
      data.append(before)
    }
    source.activate()
    source.add(data: 2)
    try running.wait()
    for _ in 0..<10 { source.add(data: 5) }
    gate.open()
    try #expect(data.wait(forCount: 2) == [2, 50])
    try end(source)
  }

  @Test func handlerMayTriggerTheNextEvent() throws {
    let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "test.chain"))
    let shared = Shared(source)
    let data = EventLog<UInt>()
    source.setEventHandler {
      data.append(shared.value.data)
      if data.count < 5 { shared.value.add(data: shared.value.data + 1) }
    }
    source.activate()
    source.add(data: 1)
    try #expect(data.wait(forCount: 5) == [1, 2, 3, 4, 5])
    letRealTimePass(RealTime.settling)
    #expect(data.count == 5)
    try end(source)
  }

  // MARK: From many threads

  @Test func noAdditionIsLostOrCountedTwice() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let source = DispatchSource.makeUserDataAddSource(queue: kind.makeQueue())
      let shared = Shared(source)
      let threads = 4
      let additions = 5_000
      let sum = Unprotected<UInt>(0)
      let all = Gate("all additions")
      source.setEventHandler {
        sum.value += shared.value.data
        if sum.value >= UInt(threads * additions) { all.open() }
      }
      source.activate()
      try runThreads(threads) { _ in
        for _ in 0..<additions { shared.value.add(data: 1) }
      }
      try all.wait()
      try end(source)
      #expect(sum.value == UInt(threads * additions))
    }
  }

  @Test func noBitIsLost() throws {
    let source = DispatchSource.makeUserDataOrSource(
      queue: DispatchQueue(label: "test.bits", attributes: .concurrent))
    let shared = Shared(source)
    let bits = Unprotected<UInt>(0)
    let all = Gate("all bits")
    source.setEventHandler {
      bits.value |= shared.value.data
      if bits.value == .max { all.open() }
    }
    source.activate()
    try runThreads(4) { thread in
      for bit in 0..<16 { shared.value.or(data: 1 << UInt(thread * 16 + bit)) }
    }
    try all.wait()
    try end(source)
  }

  /// The handler sees the values of each thread in order, and sees the last value of all.
  @Test func onlySubmittedValuesAreSeenAndTheLastOneIs() throws {
    let source = DispatchSource.makeUserDataReplaceSource(
      queue: DispatchQueue(label: "test.values"))
    let shared = Shared(source)
    let seen = EventLog<UInt>()
    source.setEventHandler { seen.append(shared.value.data) }
    source.activate()
    let steps: UInt = 2_000
    try runThreads(3) { thread in
      for step in 1...steps { shared.value.replace(data: UInt(thread) << 32 | step) }
    }
    source.replace(data: .max)
    while try seen.wait(forCount: 1).last != .max { letRealTimePass(.milliseconds(1)) }
    var latest: [UInt] = [0, 0, 0]
    for value in seen.all.dropLast() {
      let thread = Int(value >> 32)
      let step = value & 0xFFFF_FFFF
      try #require(thread < 3 && (1...steps).contains(step))
      #expect(step > latest[thread])
      latest[thread] = step
    }
    try end(source)
  }

  @Test func nothingIsReportedAfterTheCancel() throws {
    let queue = DispatchQueue(label: "test.after.cancel")
    let adder = DispatchSource.makeUserDataAddSource(queue: queue)
    let data = EventLog<UInt>()
    Self.log(adder, data)
    adder.activate()
    adder.add(data: 1)
    try data.wait(forCount: 1)
    try end(adder)
    adder.add(data: 1)
    letRealTimePass(RealTime.settling)
    #expect(data.all == [1])
  }
}
