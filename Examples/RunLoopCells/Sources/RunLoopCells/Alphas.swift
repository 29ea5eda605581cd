// Alphas — what the second thread computes: how opaque each cell is.

import Glibc

/// How many cells there are.
struct Grid: Equatable, Sendable {
  var columns: Int
  var rows: Int

  var count: Int { columns * rows }
}

/// The alphas of one round, row by row, each from 0 to 1.
struct Alphas: Equatable, Sendable {
  let round: Int
  let grid: Grid
  let values: [Double]

  /// Three waves that run over the cells, and a glitter: the same for the same round.
  static func compute(round: Int, grid: Grid) -> Alphas {
    let time = Double(round) * 0.7
    let values = (0..<grid.count).map { cell in
      let x = place(cell % grid.columns, of: grid.columns)
      let y = place(cell / grid.columns, of: grid.rows)
      let waves =
        sin(2.6 * x + time) + sin(2.1 * y - 1.3 * time)
        + sin(4 * (x * x + y * y).squareRoot() - 1.7 * time)
      let smooth = 0.5 + waves / 6
      // Steeper in the middle, so that few cells are of no particular brightness.
      let steep = smooth * smooth * (3 - 2 * smooth)
      return min(1, max(0, 0.85 * steep + 0.15 * glitter(round, cell)))
    }
    return Alphas(round: round, grid: grid, values: values)
  }

  /// A step of the way to those of another round: 0 is here, 1 there. It begins and
  /// ends slowly.
  func faded(to other: Alphas, by step: Double) -> Alphas {
    guard grid == other.grid else { return other }
    let share = step * step * (3 - 2 * step)
    let values = zip(values, other.values).map { $0 + ($1 - $0) * share }
    return Alphas(round: other.round, grid: grid, values: values)
  }

  /// From -1 to 1.
  private static func place(_ index: Int, of count: Int) -> Double {
    count < 2 ? 0 : 2 * Double(index) / Double(count - 1) - 1
  }

  /// From 0 to 1, as if at random.
  private static func glitter(_ round: Int, _ cell: Int) -> Double {
    var word = UInt64(truncatingIfNeeded: round &* 0x1_0001 &+ cell) &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 29)) &* 0xBF58_476D_1CE4_E5B9
    return Double((word ^ (word >> 32)) & 0xFFFF) / 0xFFFF
  }
}
