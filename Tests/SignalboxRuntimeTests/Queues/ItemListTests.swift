// ItemListTests — order, and which producer learns that the list was empty.

import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Item list", .guarded) struct ItemListTests {
  /// An item with the number of its producer.
  private struct Numbered: ~Copyable {
    var item: Item
    let producer: Int
    let number: Int

    static func make(_ producer: Int, _ number: Int) -> ItemPointer {
      let pointer = UnsafeMutablePointer<Numbered>.allocate(capacity: 1)
      pointer.initialize(to: Numbered(item: Item({ _ in }), producer: producer, number: number))
      // SAFETY: the item is the first field.
      return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Item.self)
    }

    /// Reads an item and frees it.
    static func take(_ item: ItemPointer) -> (producer: Int, number: Int) {
      // SAFETY: the item is the first field.
      let pointer = UnsafeMutableRawPointer(item).assumingMemoryBound(to: Numbered.self)
      let result = (pointer.pointee.producer, pointer.pointee.number)
      pointer.deinitialize(count: 1)
      pointer.deallocate()
      return result
    }
  }

  private final class Shared: Sendable {
    let list = ItemList()
    let toldEmpty = Atomic<Int>(0)
    let emptied = Atomic<Int>(0)
  }

  @Test func firstInIsFirstOut() {
    let shared = Shared()
    for number in 0..<5 { #expect(shared.list.append(Numbered.make(0, number)) == (number == 0)) }
    #expect(shared.list.count() == 5)
    for number in 0..<5 {
      let item = shared.list.first()!
      let next = shared.list.removeFirst(item)
      #expect((next == nil) == (number == 4))
      #expect(Numbered.take(item).number == number)
    }
    #expect(shared.list.first() == nil)
    #expect(shared.list.newest() == nil)
  }

  @Test func producersKeepTheirOrderAndEachEmptyingIsReportedOnce() throws {
    let shared = Shared()
    let producers = 4
    let each = 20_000
    let got = Guarded([Int](repeating: 0, count: producers))
    try runThreads(producers + 1) { index in
      if index < producers {
        for number in 0..<each where shared.list.append(Numbered.make(index, number)) {
          shared.toldEmpty.add(1, ordering: .relaxed)
        }
        return
      }
      var expected = [Int](repeating: 0, count: producers)
      var left = producers * each
      while left > 0 {
        guard let item = shared.list.first() else { continue }
        if shared.list.removeFirst(item) == nil { shared.emptied.add(1, ordering: .relaxed) }
        let (producer, number) = Numbered.take(item)
        guard number == expected[producer] else { break }
        expected[producer] += 1
        left -= 1
      }
      got.withValue { [expected] in $0 = expected }
    }
    #expect(got.current == [Int](repeating: each, count: producers))
    #expect(
      shared.toldEmpty.load(ordering: .relaxed) == shared.emptied.load(ordering: .relaxed))
  }
}
