// Table — the outcomes of a litmus test, on paper and as they were seen.

struct Table {
  let test: LitmusTest
  let without: [Outcome: Int]
  let with: [Outcome: Int]

  private static let heads = [
    "x", "y", "of 24 orders", "of 6 in order", "without barrier", "OSMemoryBarrier",
  ]

  var lines: [String] {
    let all = LitmusTest.counts(of: test.orders)
    let kept = LitmusTest.counts(of: test.keptOrders)
    let outcomes = Set(all.keys).union(without.keys).union(with.keys).sorted()
    let rows = outcomes.map { outcome in
      ["\(outcome.x)", "\(outcome.y)"] + [all, kept, without, with].map { "\($0[outcome] ?? 0)" }
    }
    let widths = Self.heads.indices.map { column in
      ([Self.heads] + rows).map { $0[column].count }.max()!
    }
    func line(_ cells: [String]) -> String {
      "  "
        + zip(cells, widths).map { cell, width in
          String(repeating: " ", count: width - cell.count) + cell
        }.joined(separator: "   ")
    }
    let body = zip(outcomes, rows).map { outcome, row in
      line(row) + (outcome == test.forbidden ? "   <- in no order that keeps each thread's" : "")
    }
    let threads = [test.first, test.second].map {
      $0.map(\.description).joined(separator: "; ")
    }
    return [
      test.name, "  \(test.question)", "  \(threads[0])  |  \(threads[1])", "", line(Self.heads),
    ] + body
  }
}
