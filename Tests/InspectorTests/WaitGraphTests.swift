// WaitGraphTests — many threads that wait for many others.

import Testing

@testable import SignalboxInspector

@Suite struct WaitGraphTests {
  /// A thread that waits for an object.
  private func thread(
    _ number: UInt64, for object: UInt64, _ holder: SeenWait.Holder, _ stack: SeenStack
  ) -> SeenThread {
    let wait = SeenWait(
      epoch: 1, reason: "for", isIdle: false, since: 0, object: object, hasDeadline: false,
      mayBeReleased: false, title: "", label: .none, holder: holder, isBlocked: true, stack: stack)
    return SeenThread(
      address: number << 12, number: number, kernelID: Int32(number), isMain: false,
      isWorker: false, name: "", wait: wait, isUnsettled: false)
  }

  /// Queues in a row, each the target of the one before. The last one has readers and a barrier.
  private func queues(_ count: UInt64) throws -> [UInt64: SeenQueue] {
    let image = ProcessImage()
    let memory = TargetMemory(image)
    let table = try #require(EngineFinder(memory).find(in: image.maps).engines.first).table
    return Dictionary(
      uniqueKeysWithValues: (1...count).map { number in
        let state = SeenQueue.State(number == count ? 1 << 49 | 1 << 32 : 0, table)
        return (
          number,
          SeenQueue(
            address: number, object: number, target: number == count ? 0 : number + 1,
            shape: "concurrent", label: nil, state: state, firstItem: 0)
        )
      })
  }

  private let threads: UInt64 = 1000
  private let depth: UInt64 = 64

  /// Each thread is on all queues, and waits for the last one.
  @Test(arguments: [true, false])
  func theTimeGrowsWithTheThreadsAndTheirFrames(isCycle: Bool) throws {
    let queues = try queues(depth)
    var all = (1...threads).map { number in
      thread(number, for: depth, .queue, SeenStack(queues: Array(1...depth)))
    }
    // A thread that runs is among the holders.
    all.append(
      SeenThread(
        address: 0, number: threads + 1, kernelID: 0, isMain: false, isWorker: false, name: "",
        wait: nil, isUnsettled: false))
    let index = HolderIndex(all, queues)
    #expect(index.onQueue(depth).count == Int(threads))
    #expect(index.steps <= Int(threads * (2 * depth + 1)))
    let graph = WaitGraph(all, queues)
    let search = CycleSearch(all, graph) { _ in isCycle }.search()
    #expect(search.cycles.count == (isCycle ? 16 : 0))
    #expect(search.looks <= Int(4 * threads), "\(search.looks)")
  }

  /// Workers that wait in a row of groups: each group's work runs on all threads of the next row.
  @Test func theSearchLooksAtEachHolderOfAResourceOnce() throws {
    let rows: UInt64 = 10, width: UInt64 = 100
    func grid(lastRowWaitsFor last: UInt64) -> [SeenThread] {
      var all: [SeenThread] = []
      for row in 1...rows {
        let object = row == rows ? last : row + 1
        for _ in 0..<width {
          let number = UInt64(all.count + 1)
          all.append(thread(number, for: object, .workers, SeenStack(works: [row])))
        }
      }
      return all
    }
    let all = grid(lastRowWaitsFor: rows + 1)
    let search = CycleSearch(all, WaitGraph(all, [:])) { _ in true }.search()
    #expect(search.cycles.isEmpty)
    #expect(search.looks <= Int(2 * rows * width), "\(search.looks)")
    // And if the last row waits for the first one's work, there is a cycle through all rows.
    let circle = grid(lastRowWaitsFor: 1)
    let found = CycleSearch(circle, WaitGraph(circle, [:])) { _ in true }.search()
    #expect(found.cycles.first?.count == Int(rows))
  }
}
