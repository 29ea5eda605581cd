// The parts: what is computed, what waits in a buffer, what is drawn.

import Glibc
import Signalbox
import Testing

@testable import RunLoopCells

@Suite struct CellsTests {
  private static let grid = Grid(columns: 14, rows: 8)

  // MARK: Alphas

  @Test(arguments: [Grid(columns: 1, rows: 1), Grid(columns: 3, rows: 1), grid])
  func everyCellHasAnAlphaFromNoneToAll(_ grid: Grid) {
    for round in 1...200 {
      let alphas = Alphas.compute(round: round, grid: grid)
      #expect(alphas.round == round)
      #expect(alphas.values.count == grid.count)
      #expect(alphas.values.allSatisfy { (0...1).contains($0) })
    }
  }

  @Test func aRoundIsTheSameEachTimeAndUnlikeTheNext() {
    let rounds = (1...20).map { Alphas.compute(round: $0, grid: Self.grid) }
    #expect(rounds[4] == Alphas.compute(round: 5, grid: Self.grid))
    for (one, next) in zip(rounds, rounds.dropFirst()) {
      let changes = zip(one.values, next.values).count { abs($0 - $1) > 0.05 }
      #expect(changes > Self.grid.count / 2)
    }
    let all = rounds.flatMap(\.values)
    #expect(all.min()! < 0.1 && all.max()! > 0.9)
  }

  @Test func aFadeGoesFromOneRoundToTheOther() {
    let one = Alphas.compute(round: 1, grid: Self.grid)
    let two = Alphas.compute(round: 2, grid: Self.grid)
    #expect(one.faded(to: two, by: 0).values == one.values)
    for (a, b) in zip(one.faded(to: two, by: 1).values, two.values) { #expect(abs(a - b) < 1e-9) }
    let half = one.faded(to: two, by: 0.5).values
    for cell in 0..<Self.grid.count {
      #expect(abs(half[cell] - (one.values[cell] + two.values[cell]) / 2) < 1e-9)
    }
    let wide = Alphas.compute(round: 3, grid: Grid(columns: 2, rows: 2))
    #expect(one.faded(to: wide, by: 0.1) == wide)
  }

  // MARK: The buffer

  @Test func theBufferLosesNothingAndKeepsEachThreadsOrder() {
    let buffer = CommandBuffer()
    let threads = (0..<4).map { thread in
      let thread = JoinableThread {
        for step in 0..<1_000 { buffer.append(.compute(round: thread * 1_000 + step)) }
      }
      thread.start()
      return thread
    }
    var taken: [Int] = []
    func take() {
      for case .compute(let round) in buffer.takeAll() { taken.append(round) }
    }
    while taken.count < 2_000 { take() }
    for thread in threads { thread.join() }
    take()
    #expect(buffer.takeAll() == [])
    for thread in 0..<4 {
      let own = taken.filter { $0 / 1_000 == thread }
      #expect(own == (0..<1_000).map { thread * 1_000 + $0 })
    }
  }

  // MARK: Sources

  /// On a thread of its own, whose loop has nothing else.
  private static func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) -> Result {
    let thread = JoinableThread(body)
    thread.start()
    return thread.join()
  }

  @Test func commandsSentBeforeAPassArePerformedInOne() {
    let journal = Journal()
    let result = Self.onThread {
      let found = Journal()
      let source = CommandSource(
        "test", journal: journal,
        schedule: { scheduled in for round in 1...3 { scheduled.send(.compute(round: round)) } },
        cancel: { found.note("cancelled") },
        perform: { found.note("\($0.count) commands") })
      source.addToCurrentRunLoop()
      let first = CFRunLoopRunInMode(.defaultMode, 0, true)
      let second = CFRunLoopRunInMode(.defaultMode, 0, true)
      ScheduledSource(source: source, loop: CFRunLoopGetCurrent(), mode: .defaultMode).cancel()
      let third = CFRunLoopRunInMode(.defaultMode, 0, true)
      return ([first, second, third], found.all)
    }
    #expect(result.0 == [.handledSource, .timedOut, .finished])
    #expect(result.1 == ["3 commands", "cancelled"])
    #expect(journal.all == ["schedule test", "cancel test"])
  }

  @Test func aSourceIsGoneWithItsLastUser() {
    final class Witness: Sendable {}
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let source = CommandSource(
        "test", journal: Journal(), schedule: { _ in _ = held }, cancel: {}, perform: { _ in })
      #expect(CFRunLoopSourceIsValid(source.source))
    }
    #expect(witness == nil)
  }

  // MARK: Drawings

  @Test func aColouredDrawingHasTheColourOfEachCell() {
    let grid = Grid(columns: 2, rows: 1)
    let alphas = Alphas(round: 1, grid: grid, values: [1, 0])
    let lines = Drawing.coloured(alphas)
    #expect(lines.count == Drawing.lines(of: grid))
    #expect(lines.count == 3)
    for line in lines {
      #expect(line.count { $0 == "▀" } == Drawing.columns(of: grid))
      #expect(line.hasSuffix("\u{1B}[0m"))
    }
    let first = Palette.colour(of: 0, in: grid).components
    let second = Palette.colour(of: 1, in: grid).components
    #expect(lines[1].contains("38;2;\(first[0]);\(first[1]);\(first[2])m"))
    #expect(!lines.joined().contains("38;2;\(second[0]);\(second[1]);\(second[2])m"))
  }

  @Test func aShadedDrawingGoesFromNothingToFull() {
    let alphas = Alphas(
      round: 1, grid: Grid(columns: 3, rows: 2), values: [0, 0.25, 0.5, 0.7, 0.9, 1])
    #expect(Drawing.shaded(alphas) == ["  ░░▒▒", "▓▓████"])
  }

  @Test func aGridFitsItsTerminal() {
    for columns in [1, 6, 40, 80, 300] {
      for lines in [1, 3, 21, 60] {
        let grid = Drawing.grid(columns: columns, lines: lines, atMost: Self.grid)
        #expect(grid.columns >= 1 && grid.rows >= 1)
        #expect(grid.columns <= 14 && grid.rows <= 8)
        #expect(grid.columns == 1 || Drawing.columns(of: grid) <= columns)
        #expect(grid.rows == 1 || Drawing.lines(of: grid) <= lines)
      }
    }
    #expect(Drawing.grid(columns: 80, lines: 21, atMost: Self.grid) == Self.grid)
  }

  // MARK: The page

  @Test func thePageHasEveryCellAndEveryRound() {
    let rounds = (1...5).map { Alphas.compute(round: $0, grid: Self.grid) }
    let last = CellsPage.html(rounds, isLast: true, pause: 1)
    #expect(last.split(separator: "<i style").count - 1 == Self.grid.count)
    #expect(last.contains("const first = 1, isLast = true;"))
    for round in rounds {
      let row = round.values.map { "\(Int(($0 * 100).rounded()))" }.joined(separator: ",")
      #expect(last.contains("[\(row)]"))
    }
    let running = CellsPage.html(rounds, isLast: false, pause: 1.2)
    #expect(running.contains("<meta http-equiv=\"refresh\" content=\"2\">"))
    #expect(running.contains("const first = 4, isLast = false;"))
  }
}
