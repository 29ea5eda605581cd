// RunBandsTests — which runnable goes first. Plain logic: no threads.

@testable import SignalboxRuntime
import Testing

@Suite("Run bands") struct RunBandsTests {
  private static func makeItem() -> ItemPointer {
    let item = ItemPointer.allocate(capacity: 1)
    item.initialize(to: Item({ _ in }))
    return item
  }

  private static func free(_ items: [ItemPointer]) {
    for item in items {
      item.deinitialize(count: 1)
      item.deallocate()
    }
  }

  @Test func higherBandsGoFirstAndEachIsFirstInFirstOut() {
    var bands = RunBands()
    var items: [Band: [ItemPointer]] = [:]
    for _ in 0..<3 {
      for band in Band.allCases {
        let item = Self.makeItem()
        items[band, default: []].append(item)
        bands.append(item, band: band)
      }
    }
    for band in Band.allCases.reversed() {
      for expected in items[band]! {
        let popped = bands.popFirst()
        #expect(popped == expected)
      }
    }
    #expect(bands.isEmpty)
    let last = bands.popFirst()
    #expect(last == nil)
    Self.free(items.values.flatMap { $0 })
  }

  @Test func lowestBandIsServedThoughAHigherOneNeverEmpties() {
    var bands = RunBands()
    let low = Self.makeItem()
    bands.append(low, band: .background)
    var high: [ItemPointer] = []
    var pops = 0
    var found = false
    while !found && pops < 1_000 {
      let item = Self.makeItem()
      high.append(item)
      bands.append(item, band: .userInteractive)
      found = bands.popFirst() == low
      pops += 1
    }
    #expect(found)
    while bands.popFirst() != nil {}
    Self.free(high + [low])
  }
}
