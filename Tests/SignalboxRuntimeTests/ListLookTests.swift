// ListLookTests — a list is counted from outside while other threads change it.

import CSignalbox
import Glibc
@testable import SignalboxDiagnostics
@testable import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite struct ListLookTests {
  private final class Holder: Sendable {
    let list = ItemList()
  }

  private func makeItems(_ count: Int) -> [ItemPointer] {
    (0..<count).map { _ in
      let item = ItemPointer.allocate(capacity: 1)
      item.initialize(to: Item { _ in })
      return item
    }
  }

  private func depth(_ address: UInt, budget: Int = 1000) -> (ListDepth, left: Int) {
    var left = budget
    let depth = ListLook.depth(ofListsAt: [address], &left)
    return (depth, left)
  }

  @Test func countsTheItemsOfAList() {
    let holder = Holder()
    let items = makeItems(20)
    #expect(depth(holder.list.address()).0 == .exactly(0))
    for item in items { _ = holder.list.append(item) }
    #expect(depth(holder.list.address()) == (.exactly(20), left: 980))
    holder.list.removeFirst(items[0])
    #expect(depth(holder.list.address()).0 == .exactly(19))
    #expect(depth(holder.list.address(), budget: 5) == (.atLeast(6), left: 0))
    for item in items.dropFirst() { holder.list.removeFirst(item) }
    #expect(depth(holder.list.address()).0 == .exactly(0))
    items.forEach { $0.deallocate() }
  }

  @Test func unmappedMemoryIsNotAList() {
    let size = sysconf(Int32(_SC_PAGESIZE))
    let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    // The first item's address points to unmapped memory.
    page.storeBytes(of: UInt(bitPattern: page) + 64, as: UInt.self)
    page.storeBytes(of: 8, toByteOffset: 64, as: UInt.self)
    #expect(depth(UInt(bitPattern: page)).0 == .unknown)
    // The page stays reserved until after the look, or another thread could map its own memory
    // there.
    #expect(mprotect(page, size, PROT_NONE) == 0)
    #expect(depth(UInt(bitPattern: page)).0 == .unknown)
    munmap(page, size)
    #expect(depth(0).0 == .unknown)
  }

  /// A thread removes and frees items, and returns their memory to the system, while another
  /// thread counts them. The count neither crashes nor misses that there are items.
  @Test func countingWorksWhileTheListChanges() throws {
    let holder = Holder()
    let isOver = Atomic<Bool>(false)
    let address = holder.list.address()
    let counted = Guarded(0)
    let found = Guarded(0)
    let counter = try PlainThread {
      while !isOver.load(ordering: .relaxed) {
        var budget = 1000
        let depth = ListLook.depth(ofListsAt: [address], &budget)
        if depth != .exactly(0) { found.withValue { $0 += 1 } }
        counted.withValue { $0 += 1 }
      }
    }
    let size = sysconf(Int32(_SC_PAGESIZE))
    while counted.current < 500 || found.current < 50 {
      // Each item is on a page of its own, which is returned.
      let pages = (0..<32).map { _ in
        mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
      }
      for page in pages {
        let item = page.bindMemory(to: Item.self, capacity: 1)
        item.initialize(to: Item { _ in })
        _ = holder.list.append(item)
      }
      for page in pages {
        holder.list.removeFirst(page.bindMemory(to: Item.self, capacity: 1))
        munmap(page, size)
      }
    }
    isOver.store(true, ordering: .relaxed)
    try counter.join()
    #expect(depth(address).0 == .exactly(0))
  }

  @Test func theItemsOfSeveralListsAreAdded() {
    let holders = [Holder(), Holder(), Holder()]
    let items = makeItems(7)
    for item in items.prefix(3) { _ = holders[0].list.append(item) }
    for item in items.dropFirst(3) { _ = holders[2].list.append(item) }
    let addresses = holders.map { $0.list.address() }
    var (enough, few) = (7, 5)
    #expect(ListLook.depth(ofListsAt: addresses, &enough) == .exactly(7))
    #expect(enough == 0)
    #expect(ListLook.depth(ofListsAt: addresses, &few) == .atLeast(6))
    var left = 10
    #expect(ListLook.depth(ofListsAt: addresses + [0], &left) == .unknown)
    items.forEach { $0.deallocate() }
  }

  /// As in a workloop, the owner moves the items to another list before it takes them out.
  @Test func anItemThatMovesIsNotCountedTwice() throws {
    let (entry, ordered) = (Holder(), Holder())
    let items = makeItems(50)
    try expectDepth(ofListsAt: [entry.list.address(), ordered.list.address()], atMost: 50) {
      for item in items { _ = entry.list.append(item) }
      for _ in items { _ = ordered.list.append(remove(from: entry)) }
      for _ in items {
        _ = remove(from: ordered)
        entry.list.counts.countRun()
      }
    }
    items.forEach { $0.deallocate() }
  }

  /// The memory of each item is used for an item of another list, and then for an item of the
  /// first list again.
  @Test func theItemsOfAnotherListAreNotCounted() throws {
    let (counted, other) = (Holder(), Holder())
    let (items, further) = (makeItems(50), makeItems(50))
    try expectDepth(ofListsAt: [counted.list.address()], atMost: 50) {
      for item in items { _ = counted.list.append(item) }
      for _ in items { _ = other.list.append(run(counted)) }
      for item in further { _ = other.list.append(item) }
      for _ in items { _ = counted.list.append(run(other)) }
      for _ in further { _ = run(other) }
      for _ in items { _ = run(counted) }
    }
    (items + further).forEach { $0.deallocate() }
  }

  private func run(_ holder: Holder) -> ItemPointer {
    defer { holder.list.counts.countRun() }
    return remove(from: holder)
  }

  private func remove(from holder: Holder) -> ItemPointer {
    let item = holder.list.first()!
    holder.list.removeFirst(item)
    return item
  }

  /// Counts the lists again and again on another thread, while this one changes them.
  private func expectDepth(
    ofListsAt addresses: [UInt], atMost limit: Int, _ change: () -> Void
  ) throws {
    let isOver = Atomic<Bool>(false)
    let (looks, most) = (Guarded(0), Guarded(0))
    let counter = try PlainThread {
      while !isOver.load(ordering: .relaxed) {
        var budget = 1000
        let depth = ListLook.depth(ofListsAt: addresses, &budget)
        looks.withValue { $0 += 1 }
        guard case .exactly(let count) = depth else { continue }
        most.withValue { $0 = max($0, count) }
      }
    }
    while looks.current < 5000 { change() }
    isOver.store(true, ordering: .relaxed)
    try counter.join()
    #expect(most.current <= limit)
  }
}
