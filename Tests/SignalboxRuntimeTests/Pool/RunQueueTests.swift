// RunQueueTests — which runnable goes first. Plain logic: no threads.

@testable import SignalboxRuntime
import Testing

@Suite("Run queue") struct RunQueueTests {
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

  /// Every urgency: the classes, and the priorities within them.
  private static let urgencies = Band.allCases.flatMap { band in
    (0...15).map { Urgency(band, relativePriority: -$0) }
  }

  @Test func urgencyIsOrderedByClassAndThenByRelativePriority() {
    let sorted = Self.urgencies.sorted()
    #expect(Set(sorted).count == 80)
    #expect(sorted.first == Urgency(.background, relativePriority: -15))
    #expect(sorted.last == .highest)
    for urgency in sorted { #expect(Urgency(rawValue: urgency.rawValue).band == urgency.band) }
    #expect(Urgency(.utility, relativePriority: -15) > .background)
    #expect(sorted.allSatisfy { $0 > .unspecified && $0.isSpecified })
  }

  @Test func moreUrgentOnesGoFirstAndEachLineIsFirstInFirstOut() {
    var lines = RunQueue()
    var items: [Urgency: [ItemPointer]] = [:]
    // The lowest queue has its turn every sixty takes; the test takes fewer.
    let urgencies = Self.urgencies.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
    for _ in 0..<3 {
      for urgency in urgencies {
        let item = Self.makeItem()
        items[urgency, default: []].append(item)
        lines.append(item, at: urgency)
      }
    }
    for urgency in urgencies.sorted(by: >) {
      for expected in items[urgency]! {
        let popped = lines.popFirst()
        #expect(popped?.item == expected)
        #expect(popped?.urgency == urgency)
      }
    }
    let isEmpty = lines.isEmpty
    #expect(isEmpty)
    let last = lines.popFirst()
    #expect(last == nil)
    Self.free(items.values.flatMap { $0 })
  }

  @Test func lowestLineIsServedThoughAHigherOneNeverEmpties() {
    var lines = RunQueue()
    let low = Self.makeItem()
    lines.append(low, at: .background)
    var high: [ItemPointer] = []
    var pops = 0
    var found = false
    while !found && pops < 1_000 {
      let item = Self.makeItem()
      high.append(item)
      lines.append(item, at: .userInteractive)
      found = lines.popFirst()?.item == low
      pops += 1
    }
    #expect(found)
    while lines.popFirst() != nil {}
    Self.free(high + [low])
  }

  @Test func theFirstOfABandThatPassesATestIsTakenPastTheOthers() {
    var lines = RunQueue()
    func add(_ urgency: Urgency, _ flags: Item.Flags = []) -> ItemPointer {
      let item = Self.makeItem()
      item.pointee.flags = Item.Flags(urgency).union(flags)
      lines.append(item, at: urgency)
      return item
    }
    func isNoHelp(_ item: ItemPointer) -> Bool { !item.pointee.flags.contains(.help) }
    let lower = Urgency(.standard, relativePriority: -3)
    let help = add(.standard, .help)
    let first = add(.standard)
    let secondHelp = add(.standard, .help)
    let later = add(lower)
    let last = add(.standard)
    let other = add(.userInitiated)
    for expected in [first, last, later] {
      let popped = lines.popFirst(of: .standard, where: isNoHelp)
      #expect(popped?.item == expected)
    }
    let none = lines.popFirst(of: .standard, where: isNoHelp)
    #expect(none == nil)
    // The links around the removed runnables are intact, including the ends.
    let more = add(.standard)
    for expected in [other, help, secondHelp, more] {
      let popped = lines.popFirst()
      #expect(popped?.item == expected)
    }
    let isEmpty = lines.isEmpty
    #expect(isEmpty)
    Self.free([help, first, secondHelp, later, last, other, more])
  }

  @Test func theWaitOfABandBeginsAtTheFirstCheckAfterATake() {
    var lines = RunQueue()
    let items = (0..<3).map { _ in Self.makeItem() }
    var none = lines.waitingSince(.standard, now: 1)
    #expect(none == nil)
    for item in items { lines.append(item, at: .standard) }
    for now: UInt64 in [5, 6] {
      let since = lines.waitingSince(.standard, now: now)
      #expect(since == 5)
    }
    none = lines.waitingSince(.userInitiated, now: 7)
    #expect(none == nil)
    _ = lines.popFirst()
    var since = lines.waitingSince(.standard, now: 8)
    #expect(since == 8)
    lines.waitOn(.standard, now: 11)
    since = lines.waitingSince(.standard, now: 12)
    #expect(since == 11)
    while lines.popFirst() != nil {}
    none = lines.waitingSince(.standard, now: 13)
    #expect(none == nil)
    Self.free(items)
  }

  @Test func aBandIsNewOnceWhenItsFirstRunnableArrives() {
    var lines = RunQueue()
    let items = (0..<4).map { _ in Self.makeItem() }
    func newBands() -> Set<Band> {
      let new = lines.takeNewBands()
      let bands = Set(Band.allCases.filter { band in new.contains { $0 == band } })
      #expect(new.isEmpty == bands.isEmpty)
      return bands
    }
    var bands = newBands()
    #expect(bands == [])
    lines.append(items[0], at: .standard)
    lines.append(items[1], at: Urgency(.standard, relativePriority: -2))
    lines.append(items[2], at: .background)
    bands = newBands()
    #expect(bands == [.standard, .background])
    bands = newBands()
    #expect(bands == [])
    _ = lines.popHighest()
    _ = lines.popHighest()
    lines.append(items[3], at: .standard)
    bands = newBands()
    #expect(bands == [.standard])
    while lines.popFirst() != nil {}
    Self.free(items)
  }
}
