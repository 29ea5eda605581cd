// DataDeallocatorTests — memory that data uses without a copy is returned once, after the last
// reader is gone, on the queue of the deallocator.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

/// Memory that counts how often and where it was returned.
private final class Lent: Sendable {
  let returned = EventCounter("returned")
  let queue = Guarded<DispatchQueue?>(nil)

  func data(_ bytes: [UInt8], on queue: DispatchQueue?) -> DispatchData {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    // SAFETY: the deallocator frees it once.
    nonisolated(unsafe) let lent = memory
    return DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(memory),
      deallocator: .custom(queue) {
        lent.deallocate()
        self.queue.withValue { $0 = DispatchQueue.current }
        self.returned.increment()
      })
  }
}

@Suite(.guarded)
struct DataDeallocatorTests {
  @Test func aDeallocatorRunsOnItsQueueWhenTheLastReaderIsGone() throws {
    let queue = DispatchQueue(label: "returns")
    let lent = Lent()
    var readers: [DispatchData] = []
    do {
      let data = lent.data([1, 2, 3, 4], on: queue)
      readers.append(data.subdata(in: 1..<3))
      var longer = DispatchData.empty
      longer.append(data)
      longer.append(data)
      readers.append(longer.subdata(in: 2..<6))
      readers.append(data.region(location: 2).data)
    }
    #expect(Array(readers[1]) == [3, 4, 1, 2])
    while !readers.isEmpty {
      queue.sync {}
      #expect(lent.returned.value == 0)
      readers.removeLast()
    }
    try lent.returned.wait(for: 1)
    queue.sync {}
    #expect(lent.returned.value == 1)
    #expect(lent.queue.current === queue)
  }

  @Test func anIteratorAndASliceAreReaders() throws {
    let queue = DispatchQueue(label: "returns")
    let lent = Lent()
    var data = lent.data([1, 2, 3, 4], on: queue)
    var iterator = Optional(data.makeIterator())
    var slice = Optional(data[1..<3])
    data = .empty
    queue.sync {}
    #expect(lent.returned.value == 0)
    #expect(iterator?.next() == 1)
    iterator = nil
    #expect(slice.map { Array($0) } == [2, 3])
    queue.sync {}
    #expect(lent.returned.value == 0)
    slice = nil
    try lent.returned.wait(for: 1)
  }

  @Test func aDeallocatorDoesNotRunDuringABodyThatReadsTheData() throws {
    let queue = DispatchQueue(label: "returns")
    let lent = Lent()
    var data = Optional(lent.data([1, 2], on: queue))
    data!.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
      queue.sync {}
      #expect(lent.returned.value == 0)
      #expect(first.pointee == 1)
    }
    data = nil
    try lent.returned.wait(for: 1)
  }

  @Test func withoutAQueueItRunsOnTheDefaultGlobalOne() throws {
    let lent = Lent()
    _ = lent.data([1], on: nil)
    try lent.returned.wait(for: 1)
    #expect(lent.queue.current === DispatchQueue.global())
  }

  @Test func aSuspendedQueueReturnsItLater() throws {
    let queue = DispatchQueue(label: "returns")
    let lent = Lent()
    queue.suspend()
    _ = lent.data([1], on: queue)
    letRealTimePass(RealTime.settling)
    #expect(lent.returned.value == 0)
    queue.resume()
    try lent.returned.wait(for: 1)
  }

  @Test func capturesOfTheDeallocatorAreFreedWithIt() throws {
    let tracker = LeakTracker()
    var data = DispatchData.empty
    for _ in 0..<100 {
      let object = tracker.makeObject()
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
      // SAFETY: the deallocator frees it once.
      nonisolated(unsafe) let lent = memory
      let part = DispatchData(
        bytesNoCopy: UnsafeRawBufferPointer(memory),
        deallocator: .custom(nil) {
          object.touch()
          lent.deallocate()
        })
      data.append(part.subdata(in: 1..<7))
    }
    #expect(tracker.alive == 100)
    data = data.subdata(in: 6 * 50..<6 * 50 + 1)
    try waitUntil(tracker, hasAlive: 1)
    data = .empty
    try tracker.waitUntilAllAreFreed()
  }

  private func waitUntil(_ tracker: LeakTracker, hasAlive alive: Int) throws {
    let end = Uptime.now() + RealTime.wedge
    while tracker.alive > alive && Uptime.now() < end { sched_yield() }
    #expect(tracker.alive == alive)
  }

  @Test func emptyMemoryIsFreedAtOnce() throws {
    let returned = EventCounter("returned")
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    for bytes in [
      UnsafeRawBufferPointer(start: memory, count: 0), UnsafeRawBufferPointer(start: nil, count: 0),
    ] {
      let data = DispatchData(
        bytesNoCopy: bytes, deallocator: .custom(nil) { returned.increment() })
      #expect(data.isEmpty)
    }
    try returned.wait(for: 2)
    memory.deallocate()
  }

  @Test func aContiguousCopyDoesNotKeepThePiecesOfOthers() throws {
    let queue = DispatchQueue(label: "returns")
    let (first, second) = (Lent(), Lent())
    var data = first.data([1, 2], on: queue)
    data.append(second.data([3, 4], on: queue))
    data.withUnsafeBytes { (_: UnsafePointer<UInt8>) in }
    data = data.subdata(in: 2..<4)
    try first.returned.wait(for: 1)
    #expect(second.returned.value == 0)
    #expect(Array(data) == [3, 4])
    data = .empty
    try second.returned.wait(for: 1)
  }

  @Test func mappedMemoryIsUnmapped() throws {
    let length = sysconf(Int32(_SC_PAGESIZE))
    // Another thread may receive the same address at once.
    var isGone = false
    for _ in 0..<100 where !isGone {
      let memory = try #require(
        mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      memory.storeBytes(of: 7, as: UInt8.self)
      var data = DispatchData(
        bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: length), deallocator: .unmap)
      #expect(data[0] == 7)
      // The kernel reports resident pages only for mapped memory.
      var resident: UInt8 = 0
      #expect(mincore(memory, length, &resident) == 0)
      data = .empty
      isGone = mincore(memory, length, &resident) == -1 && errno == ENOMEM
    }
    #expect(isGone)
  }
}
