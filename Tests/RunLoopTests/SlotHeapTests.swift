// SlotHeapTests — the heap of slots, compared with a sorted list.

import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

@Suite(.guarded)
struct SlotHeapTests {
  @Test func emptyHeapHasNoFirst() {
    var heap = SlotHeap()
    #expect(heap.firstKey == .max)
    #expect(heap.isEmpty)
    let removed = [heap.remove(0), heap.remove(100)]
    #expect(removed == [false, false])
  }

  @Test func everySmallOrderIsSorted() {
    func permute(_ rest: [Int64], _ done: [Int64], _ body: ([Int64]) -> Void) {
      if rest.isEmpty { return body(done) }
      for index in rest.indices {
        var left = rest
        let one = left.remove(at: index)
        permute(left, done + [one], body)
      }
    }
    var tried = 0
    permute([1, 2, 2, 3, 4, 5], []) { keys in
      var heap = SlotHeap()
      for (slot, key) in keys.enumerated() { heap.insert(Int32(slot), key) }
      var out: [Int64] = []
      while !heap.isEmpty {
        let least = heap.firstKey
        out.append(least)
        let slot = keys.indices.first { keys[$0] == least && heap.remove(Int32($0)) }
        #expect(slot != nil)
      }
      #expect(out == keys.sorted())
      tried += 1
    }
    #expect(tried == 720)
  }

  @Test func anyMixOfInsertionsAndRemovalsAgreesWithAList() {
    var random = SeededGenerator.announced()
    for _ in 0..<20 {
      var heap = SlotHeap()
      var model: [Int32: Int64] = [:]
      for _ in 0..<2_000 {
        let slot = Int32.random(in: 0..<300, using: &random)
        if model[slot] == nil {
          let key = Int64.random(in: -50...50, using: &random)
          heap.insert(slot, key)
          model[slot] = key
        } else {
          let removed = [heap.remove(slot), heap.remove(slot)]
          #expect(removed == [true, false])
          model[slot] = nil
        }
        #expect(heap.firstKey == (model.values.min() ?? .max))
        #expect(heap.count == model.count)
      }
      let limit = Int64.random(in: -50...50, using: &random)
      var found: [Int32] = []
      heap.forEach(upTo: limit) { entry in
        #expect(model[entry.slot] == entry.key)
        found.append(entry.slot)
      }
      #expect(found.sorted() == model.filter { $0.value <= limit }.keys.sorted())
    }
  }
}
