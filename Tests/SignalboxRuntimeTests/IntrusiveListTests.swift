// IntrusiveListTests — the list by itself, and snapshots of a list that other threads change.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

/// A member of two lists.
private final class Node {
  let value: Int
  @exclusivity(unchecked) var links = ListLinks<Unmanaged<Node>>()
  @exclusivity(unchecked) var otherLinks = ListLinks<Unmanaged<Node>>()

  init(_ value: Int) { self.value = value }

  var reference: Unmanaged<Node> { .passUnretained(self) }  // SAFETY: each test keeps its nodes.
}

private enum Nodes: ListLinkage {
  static func links(of node: Unmanaged<Node>) -> ListLinks<Unmanaged<Node>>.Pointer {
    node._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}

private enum OtherNodes: ListLinkage {
  static func links(of node: Unmanaged<Node>) -> ListLinks<Unmanaged<Node>>.Pointer {
    node._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.otherLinks) { $0 } }
  }
}

extension Unmanaged<Node> {
  fileprivate var value: Int { _withUnsafeGuaranteedRef { $0.value } }
}

extension IntrusiveList where Linkage.Member == Unmanaged<Node> {
  fileprivate var values: [Int] { map(\.value) }
}

@Suite("Intrusive list", .guarded) struct IntrusiveListTests {
  /// Expects these members in this order, and ends and a count that agree with them.
  private func expect(
    _ list: IntrusiveList<Nodes>, _ expected: [Int],
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(list.values == expected, sourceLocation: location)
    #expect(list.first?.value == expected.first, sourceLocation: location)
    #expect(list.last?.value == expected.last, sourceLocation: location)
    #expect(list.count == expected.count, sourceLocation: location)
    #expect(list.isEmpty == expected.isEmpty, sourceLocation: location)
  }

  @Test func membersAreInTheOrderAdded() {
    let nodes = (0..<5).map(Node.init)
    var list = IntrusiveList<Nodes>()
    expect(list, [])
    list.append(nodes[2].reference)
    list.append(nodes[3].reference)
    list.prepend(nodes[1].reference)
    list.append(nodes[4].reference)
    list.prepend(nodes[0].reference)
    expect(list, [0, 1, 2, 3, 4])
    withExtendedLifetime(nodes) {}
  }

  @Test func membersLeaveInAnyOrder() throws {
    try withEvery("count", in: 1...4) { count in
      try withEvery("order", in: everyOrder(of: Array(0..<count))) { order in
        let nodes = (0..<count).map(Node.init)
        var list = IntrusiveList<Nodes>()
        for node in nodes { list.append(node.reference) }
        var expected = Array(0..<count)
        for value in order {
          let wasIn = list.remove(nodes[value].reference)
          #expect(wasIn)
          expected.removeAll { $0 == value }
          expect(list, expected)
        }
        withExtendedLifetime(nodes) {}
      }
    }
  }

  @Test func removingAgainChangesNothing() throws {
    try withEvery("count", in: 1...4) { count in
      try withEvery("removed", in: 0..<count) { removed in
        let nodes = (0..<count).map(Node.init)
        var list = IntrusiveList<Nodes>()
        for node in nodes { list.append(node.reference) }
        let wasIn = list.remove(nodes[removed].reference)
        #expect(wasIn)
        let isIn = list.remove(nodes[removed].reference)
        #expect(!isIn)
        expect(list, (0..<count).filter { $0 != removed })
        // The member can come back.
        list.append(nodes[removed].reference)
        expect(list, (0..<count).filter { $0 != removed } + [removed])
        withExtendedLifetime(nodes) {}
      }
    }
  }

  @Test func removeFirstEmptiesTheListInOrder() {
    let nodes = (0..<3).map(Node.init)
    var list = IntrusiveList<Nodes>()
    for node in nodes { list.append(node.reference) }
    for value in 0..<3 {
      let first = list.removeFirst()
      #expect(first?.value == value)
    }
    let none = list.removeFirst()
    #expect(none?.value == nil)
    expect(list, [])
    withExtendedLifetime(nodes) {}
  }

  /// A forked child does this: it forgets the parent's list and keeps some of its members.
  @Test func membersOfAForgottenListEnterANewOne() throws {
    try withEvery("member", in: 0..<3) { member in
      try withEvery("order", in: [[0, 1, 2], [2, 1, 0], [1, 2, 0]]) { order in
        let nodes = (0..<3).map(Node.init)
        var list = IntrusiveList<Nodes>()
        for node in nodes { list.append(node.reference) }
        list = IntrusiveList()
        list.append(nodes[member].reference)
        expect(list, [member])
        list = IntrusiveList()
        for value in order { list.prepend(nodes[value].reference) }
        expect(list, order.reversed())
        for value in order {
          let wasIn = list.remove(nodes[value].reference)
          #expect(wasIn)
        }
        expect(list, [])
        withExtendedLifetime(nodes) {}
      }
    }
  }

  @Test func formerMembersOfAnEmptiedListTouchNoOtherMember() throws {
    try withEvery("member", in: 0..<3) { member in
      let nodes = (0..<3).map(Node.init)
      var list = IntrusiveList<Nodes>()
      for node in nodes { list.append(node.reference) }
      list.removeAll()
      expect(list, [])
      // A member of the emptied list is in none, and each enters a list by itself.
      for node in nodes {
        let wasIn = list.remove(node.reference)
        #expect(!wasIn)
      }
      list.append(nodes[member].reference)
      for node in nodes where node.value != member { list.remove(node.reference) }
      expect(list, [member])
      withExtendedLifetime(nodes) {}
    }
  }

  @Test func aLoopMayRemoveTheMemberItLooksAt() {
    let nodes = (0..<6).map(Node.init)
    var list = IntrusiveList<Nodes>()
    for node in nodes { list.append(node.reference) }
    var seen: [Int] = []
    for node in list {
      seen.append(node.value)
      if node.value.isMultiple(of: 2) { list.remove(node) }
    }
    #expect(seen == [0, 1, 2, 3, 4, 5])
    expect(list, [1, 3, 5])
    withExtendedLifetime(nodes) {}
  }

  @Test func anObjectIsInTwoListsByTwoLinkages() {
    let nodes = (0..<3).map(Node.init)
    var list = IntrusiveList<Nodes>()
    var other = IntrusiveList<OtherNodes>()
    for node in nodes {
      list.append(node.reference)
      other.prepend(node.reference)
    }
    list.remove(nodes[1].reference)
    expect(list, [0, 2])
    #expect(other.values == [2, 1, 0])
    other.remove(nodes[2].reference)
    expect(list, [0, 2])
    #expect(other.values == [1, 0])
    withExtendedLifetime(nodes) {}
  }

  @Test func randomChangesAgreeWithAnArray() {
    var random = SeededGenerator.announced()
    let nodes = (0..<12).map(Node.init)
    var list = IntrusiveList<Nodes>()
    var model: [Int] = []
    for _ in 0..<4_000 {
      let node = nodes.randomElement(using: &random)!
      if let index = model.firstIndex(of: node.value) {
        let wasIn = list.remove(node.reference)
        #expect(wasIn)
        model.remove(at: index)
      } else {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          list.prepend(node.reference)
          model.insert(node.value, at: 0)
        case 1:
          let isIn = list.remove(node.reference)
          #expect(!isIn)
        case 2:
          let first = list.removeFirst()
          #expect(first?.value == model.first)
          model = Array(model.dropFirst())
        default:
          list.append(node.reference)
          model.append(node.value)
        }
      }
      expect(list, model)
    }
    withExtendedLifetime(nodes) {}
  }

  // MARK: Snapshots

  private final class Shared: @unchecked Sendable {  // SAFETY: `list` is touched under `lock`.
    let lock = EngineLock()
    var list = IntrusiveList<Nodes>()
  }

  @Test func aSnapshotHasTheResultsInOrder() {
    let nodes = (0..<40).map(Node.init)
    let shared = Shared()
    let none = shared.lock.snapshot(of: shared.list) { $0.value }
    #expect(none.isEmpty)
    for node in nodes { shared.list.append(node.reference) }
    let odd = shared.lock.snapshot(of: shared.list) { $0.value.isMultiple(of: 2) ? nil : $0.value }
    #expect(odd == Array(stride(from: 1, to: 40, by: 2)))
    // The lock is free again.
    let isFree = shared.lock.tryLock()
    #expect(isFree)
    shared.lock.unlock()
    withExtendedLifetime(nodes) {}
  }

  /// At each attempt the list is longer than the space that was reserved after the previous
  /// attempt.
  @Test func aSnapshotRetriesUntilItHasRoomForNewMembers() throws {
    try withEvery("newcomers", in: [1, 16, 17, 100]) { newcomers in
      let shared = Shared()
      var nodes: [Node] = []
      var looks = 0
      /// Returns the list as other threads have left it when the lock is taken.
      func listAtTheNextLook() -> IntrusiveList<Nodes> {
        looks += 1
        if looks <= 4 {
          for _ in 0..<newcomers {
            let node = Node(nodes.count)
            nodes.append(node)
            shared.list.append(node.reference)
          }
        }
        return shared.list
      }
      let all = shared.lock.snapshot(of: listAtTheNextLook()) { $0.value }
      #expect(all == Array(0..<nodes.count))
      // Sixteen newcomers fit into the space that is reserved for them.
      #expect(looks == (newcomers <= 16 ? 2 : 5))
      withExtendedLifetime(nodes) {}
    }
  }

  @Test func snapshotsOfAListThatThreadsChangeHaveEachMemberOnce() throws {
    let shared = Shared()
    let residents = (0..<20).map(Node.init)
    for node in residents { shared.list.append(node.reference) }
    let bad = EventCounter("bad snapshots")
    try runThreads(4) { index in
      if index == 0 {
        for _ in 0..<500 {
          let values = shared.lock.snapshot(of: shared.list) { $0.value }
          let isWhole = values.filter { $0 < 20 } == Array(0..<20)
          if !isWhole || Set(values).count != values.count { bad.increment() }
        }
      } else {
        for round in 0..<200 {
          let own = (0..<30).map { Node(20 + index * 100_000 + round * 30 + $0) }
          for node in own {
            shared.lock.withLock {
              if node.value.isMultiple(of: 2) {
                shared.list.append(node.reference)
              } else {
                shared.list.prepend(node.reference)
              }
            }
          }
          for node in own.shuffled() {
            shared.lock.withLock { _ = shared.list.remove(node.reference) }
          }
        }
      }
    }
    #expect(bad.value == 0)
    expect(shared.list, Array(0..<20))
    withExtendedLifetime(residents) {}
  }
}
