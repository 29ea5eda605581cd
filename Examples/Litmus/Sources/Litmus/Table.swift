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
    let aligned = Table.aligned([Self.heads] + rows)
    let body = zip(outcomes, aligned.dropFirst()).map { outcome, row in
      row + (outcome == test.forbidden ? "   <- in no order that keeps each thread's" : "")
    }
    let threads = [test.first, test.second].map {
      $0.map(\.description).joined(separator: "; ")
    }
    return [
      test.name, "  \(test.question)", "  \(threads[0])  |  \(threads[1])", "", aligned[0],
    ] + body
  }

  /// Lines of cells, each column as wide as its widest cell.
  static func aligned(_ rows: [[String]]) -> [String] {
    rows.map { row in
      "  "
        + row.indices.map { column in
          let width = rows.map { $0[column].count }.max()!
          return String(repeating: " ", count: width - row[column].count) + row[column]
        }.joined(separator: "   ")
    }
  }
}
