// IsolationTests — a value that many read and one writes; one object for each identifier.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct IsolatedTests {
  @Test func readsRunConcurrently() throws {
    let value = Isolated(7)
    let meeting = Rendezvous(parties: 4)
    try runThreads(4) { _ in
      try value.read { _ in _ = try meeting.meet() }
    }
    let met = EventCounter("reads that did not wait")
    let together = Meeting(of: 4)
    for _ in 0..<4 {
      value.read(
        { seven in
          together.arrive()
          return seven
        }, on: .global()
      ) { seven in
        #expect(seven == 7)
        met.increment()
      }
    }
    try met.wait(for: 4)
  }

  @Test func readAfterAWriteOfItsThreadSeesAllOfIt() throws {
    let value = Isolated<[Int: Int]>([:])
    try runThreads(4) { thread in
      for round in 1...500 {
        value.write { dictionary in
          for key in 0..<4 { dictionary[thread * 4 + key] = round }
        }
        let seen = value.read { dictionary in (0..<4).map { dictionary[thread * 4 + $0] } }
        #expect(seen == [round, round, round, round])
      }
    }
    #expect(value.read { $0.count } == 16)
  }

  /// Two halves of a value. A reader must never see a state between two writes.
  @Test func noReadSeesHalfOfAWrite() throws {
    struct Pair { var left = 0, right = 0 }
    let value = Isolated(Pair())
    try runThreads(4) { thread in
      for _ in 0..<500 {
        if thread == 0 {
          value.write {
            $0.left += 1
            $0.right += 1
          }
        } else if thread == 1 {
          let sum = value.writeAndWait { pair in
            pair.left += 1
            pair.right += 1
            return pair.left - pair.right
          }
          #expect(sum == 0)
        } else {
          #expect(value.read { $0.left - $0.right } == 0)
        }
      }
    }
    #expect(value.read { $0.left } == 1_000)
  }

  @Test func writeWaitsForReadsAndReturnsAtOnce() throws {
    let value = Isolated(0)
    let reads = Gate("the read runs")
    let mayEnd = Gate("the read may end")
    let thread = try PlainThread {
      try value.read { seen in
        reads.open()
        try mayEnd.wait()
        #expect(seen == 0)
      }
    }
    try reads.wait()
    let hasWritten = Gate("the write")
    value.write {
      $0 = 1
      hasWritten.open()
    }
    letRealTimePass(RealTime.settling)
    #expect(!hasWritten.isOpened)
    mayEnd.open()
    try hasWritten.wait()
    try thread.join()
    #expect(value.read { $0 } == 1)
  }

  @Test func readWithACompletionRunsAfterEarlierWrites() throws {
    let value = Isolated<[Int]>([])
    let queue = DispatchQueue(label: "org.signalbox.tests.completions")
    let seen = EventLog<[Int]>()
    for number in 1...3 {
      value.write { $0.append(number) }
      value.read(on: queue) { numbers in
        dispatchPrecondition(condition: .onQueue(queue))
        seen.append(numbers)
      }
    }
    let all = try seen.wait(forCount: 3)
    #expect(all.map(\.last).contains(3))
    #expect(Set(all) == [[1], [1, 2], [1, 2, 3]])
  }

  @Test func errorsAndResultsArePassedOn() throws {
    let value = Isolated(1)
    #expect(throws: Failure.self) { try value.read { _ in throw Failure() } }
    #expect(throws: Failure.self) {
      try value.writeAndWait { number in
        number = 2
        throw Failure()
      }
    }
    #expect(value.writeAndWait { $0 * 10 } == 20)
  }

  private struct Failure: Error {}
}

@Suite(.guarded)
struct IdentityMapTests {
  private final class Model: Identifiable, Sendable {
    let id: String
    init(id: String) { self.id = id }
  }

  @Test func sameIdentifierGivesTheIdenticalObject() {
    let map = IdentityMap<Model>()
    let model = Model(id: "a")
    map.addObject(model)
    #expect(map.object(withID: "a") === model)
    map.addObject(Model(id: "a"))
    #expect(map.object(withID: "a") === model)
    #expect(map.object(withID: "b") == nil)
    #expect(map.count == 1)
    map.removeObject(withID: "a")
    #expect(map.object(withID: "a") == nil)
    #expect(map.count == 0)
  }

  @Test func threadsThatAddAtOnceGetOneObject() throws {
    for _ in 0..<50 {
      let map = IdentityMap<Model>()
      let made = EventCounter("objects made")
      let meeting = Rendezvous(parties: 4)
      let found = Guarded<[Int: Set<ObjectIdentifier>]>([:])
      try runThreads(4) { thread in
        _ = try meeting.meet()
        for number in 0..<10 {
          let object: Model
          if thread.isMultiple(of: 2) {
            object = map.object(withID: "\(number)") {
              made.increment()
              return Model(id: "\(number)")
            }
          } else {
            made.increment()
            map.addObject(Model(id: "\(number)"))
            object = map.object(withID: "\(number)")!
          }
          found.withValue { _ = $0[number, default: []].insert(ObjectIdentifier(object)) }
        }
      }
      #expect(found.current.values.allSatisfy { $0.count == 1 })
      #expect(map.count == 10)
    }
  }

  /// If several threads create the object on demand, only one does.
  @Test func objectIsMadeOnce() throws {
    let map = IdentityMap<Model>()
    let made = EventCounter("objects made")
    let meeting = Rendezvous(parties: 4)
    try runThreads(4) { _ in
      for number in 0..<50 {
        _ = try meeting.meet()
        _ = map.object(withID: "\(number)") {
          made.increment()
          return Model(id: "\(number)")
        }
      }
    }
    #expect(made.value == 50)
  }

  @Test func lookupWithACompletionFindsWhatWasAdded() throws {
    let map = IdentityMap<Model>()
    let model = Model(id: "a")
    let found = EventLog<ObjectIdentifier?>()
    let queue = DispatchQueue(label: "org.signalbox.tests.completions")
    map.addObject(model)
    map.object(withID: "a", on: queue) { object in
      dispatchPrecondition(condition: .onQueue(queue))
      found.append(object.map { ObjectIdentifier($0) })
    }
    try #expect(found.wait(forCount: 1) == [ObjectIdentifier(model)])
    map.object(withID: "b", on: queue) { found.append($0.map { ObjectIdentifier($0) }) }
    try #expect(found.wait(forCount: 2)[1] == nil)
  }

  @Test func errorOfMakeIsRethrownAndNothingIsAdded() {
    struct Failure: Error {}
    let map = IdentityMap<Model>()
    #expect(throws: Failure.self) { try map.object(withID: "a") { throw Failure() } }
    #expect(map.count == 0)
  }

  @Test func mapAndItsObjectsAreFreed() throws {
    let watch = WeakWatch()
    do {
      let map = IdentityMap<Model>()
      for number in 0..<10 { map.addObject(watch.watch(Model(id: "\(number)"))) }
      #expect(map.count == 10)
    }
    try watch.waitUntilAllAreFreed()
  }
}
