// TopViewTests — the keys of `signalbox top`, and that the selection stays on what was chosen.

import Testing

@testable import SignalboxInspector

@Suite struct TopViewTests {
  // MARK: The selection

  @Test func theSelectionFollowsItsQueue() {
    var seen = SeenView()
    seen.show(queues: [3, 5, 7])
    seen.type("j")
    seen.show(queues: [3, 5, 7])
    #expect(seen.marks("q5"))
    seen.show(queues: [7, 2, 3, 5])
    #expect(seen.marks("q5"))
    seen.type("\r")
    #expect(seen.view.opened == .queue(5))
  }

  @Test func theSelectionFollowsItsThread() {
    var seen = SeenView()
    seen.show(queues: [1], threads: [10, 20, 30])
    seen.type("\tj")
    seen.show(queues: [1], threads: [30, 10, 5, 20])
    #expect(seen.marks("t20"))
    seen.type("\r")
    #expect(seen.view.opened == .thread(20))
  }

  @Test func eachTableHasItsSelection() {
    var seen = SeenView()
    seen.show(queues: [1, 2, 3], threads: [10, 20])
    seen.type("j\tj")
    seen.show(queues: [2, 1, 3], threads: [20, 10])
    #expect(seen.marks("t20"))
    seen.type("\t")
    seen.show(queues: [3, 1, 2], threads: [10, 20])
    #expect(seen.marks("q2"))
  }

  @Test func theRowAtItsPlaceFollowsWhatIsGone() {
    var seen = SeenView()
    seen.show(queues: [1, 2, 3])
    seen.type("j")
    seen.show(queues: [1, 3])
    #expect(seen.marks("q3"))
    seen.show(queues: [1, 2, 3])
    #expect(seen.marks("q3"))
    seen.show(queues: [1])
    #expect(seen.marks("q1"))
    seen.show(queues: [])
    #expect(seen.marked == nil)
    seen.type("\r")
    #expect(seen.view.opened == nil)
  }

  @Test func theFirstRowIsSelectedUntilAnotherIsChosen() {
    var seen = SeenView()
    seen.show(queues: [1, 2])
    seen.show(queues: [2, 1])
    #expect(seen.marks("q2"))
    seen.type("jk")
    seen.show(queues: [1, 2])
    #expect(seen.marks("q2"))
    // To the first row, and above it.
    seen.type("kk")
    seen.show(queues: [2, 1])
    #expect(seen.marks("q2"))
    seen.show(queues: [3, 2, 1])
    #expect(seen.marks("q3"))
  }

  /// As the list of processes does, in which the first row is chosen from the beginning.
  @Test func aListThatChangesKeepsItsSelection() {
    var selection = RowSelection<Int32>()
    #expect(selection.selected == nil && selection.row == 0)
    selection.move(1)
    selection.show([10, 20])
    // Chooses the first one.
    selection.move(0)
    selection.show([5, 10, 20])
    #expect(selection.selected == 10 && selection.row == 1)
    selection.show([5, 20, 30])
    #expect(selection.selected == 20 && selection.row == 1)
    selection.move(5)
    #expect(selection.selected == 30 && selection.row == 2)
  }

  // MARK: Keys

  @Test func keysOfOneReadAreTakenInTurn() {
    var seen = SeenView()
    seen.show(queues: [1, 2, 3], threads: [10])
    seen.type("jj\r")
    #expect(seen.view.opened == .queue(3))
    seen.type("\u{1B}\t\r")
    #expect(seen.view.opened == .thread(10))
  }

  /// The rows that match are not known before they are drawn.
  @Test func noQueueOfTheOldRowsIsOpenedAfterAFilter() {
    var seen = SeenView()
    seen.show(queues: [1, 2, 3])
    seen.type("/q2\r\r")
    #expect(seen.view.opened == nil)
    seen.show(queues: [1, 2, 3])
    #expect(seen.marks("q2"))
    seen.type("\r")
    #expect(seen.view.opened == .queue(2))
  }

  /// With a filter and an opened queue, of which the key Escape removes one at a time.
  private func opened() -> SeenView {
    var seen = SeenView()
    seen.show(queues: [1, 2, 3])
    seen.type("/q\r")
    seen.show(queues: [1, 2, 3])
    seen.type("\r")
    return seen
  }

  @Test func twoEscapesOfOneReadAreTwoKeys() {
    var seen = opened()
    #expect(seen.view.opened == .queue(1) && seen.view.filter == "q")
    seen.type("\u{1B}")
    #expect(seen.view.opened == nil && seen.view.filter == "q")
    seen = opened()
    seen.type("\u{1B}\u{1B}")
    #expect(seen.view.opened == nil && seen.view.filter.isEmpty)
  }

  @Test func aKeyBehindEscapeIsTaken() {
    var seen = opened()
    seen.type("\u{1B}j\r")
    #expect(seen.view.opened == .queue(2))
    seen.type("\u{1B}s")
    #expect(seen.view.opened == nil && seen.view.order == .name)
    seen = opened()
    #expect(seen.type("\u{1B}q") == .quit)
    #expect(seen.view.opened == nil)
  }

  @Test func arrowsAreTakenBesideOtherKeys() {
    var seen = opened()
    seen.type("\u{1B}\u{1B}[B\u{1B}OB\r")
    #expect(seen.view.opened == .queue(3) && seen.view.filter == "q")
    // One that comes in two parts.
    seen.type("\u{1B}")
    seen.type("\u{1B}[")
    seen.type("A\r")
    #expect(seen.view.opened == .queue(2))
  }

  @Test func sequencesThatMeanNothingHereAreNoKeys() {
    var seen = opened()
    #expect(seen.type("\u{1B}[5~\u{1B}OP\u{1B}[1;5C") == .stay)
    #expect(seen.view.opened == .queue(1) && seen.view.filter == "q")
  }

  @Test func aSequenceThatIsCutEndsWhereAKeyBegins() {
    var seen = opened()
    seen.type("\u{1B}\u{1B}[\u{1B}[B\r")
    #expect(seen.view.opened == .queue(2))
    seen.type("\u{1B}\u{1B}[1\r")
    #expect(seen.view.opened == .queue(2))
  }
}

/// A view, and the picture that its user sees.
private struct SeenView {
  var view = TopView()
  /// The selected row.
  private(set) var marked: String?

  init() { view.order = .items }

  /// Draws these, in this order.
  mutating func show(queues: [UInt64], threads: [Int32] = []) {
    let sample = TopSample(
      process: 1, name: "program", uptime: 0,
      queues: queues.enumerated().map { index, id in
        TopSample.Queue(id, items: UInt64(queues.count - index))
      },
      threads: threads.map { TopSample.Thread($0) }, pools: [], notes: [], waiting: 0)
    let lines = TopScreen.lines(
      sample, before: nil, isOver: false, &view, columns: 80, rows: 24)
    marked = lines.first { $0.style == .selected }?.text
  }

  /// Whether the selected row has this word.
  func marks(_ word: String) -> Bool {
    marked?.split(separator: " ").contains { $0 == word } == true
  }

  /// Types keys, which come in one read.
  @discardableResult
  mutating func type(_ keys: String) -> TopView.Action { view.take(Array(keys.utf8)) }
}

extension TopSample.Queue {
  fileprivate init(_ id: UInt64, items: UInt64) {
    var counts = SeenCounts()
    counts.runs = items
    self.init(
      id: id, label: "q\(id)", kind: "serial", counts: counts, times: nil, depth: 0,
      hasMore: false, active: 0, isHalted: false, target: nil, owner: nil)
  }
}

extension TopSample.Thread {
  fileprivate init(_ kernelID: Int32) {
    self.init(
      kernelID: kernelID, title: "thread \(kernelID)", name: "t\(kernelID)", doing: "sleeps",
      isHeldUp: false, object: 0)
  }
}
