// Drawing — the cells as text: in colours, two pixels to a character, or in four shades.

enum Drawing {
  /// Of a cell, in pixels, and between two.
  private static let side = 4
  private static let gap = 1
  private static var step: Int { side + gap }

  /// What a grid takes of a terminal.
  static func columns(of grid: Grid) -> Int { grid.columns * step + gap }
  static func lines(of grid: Grid) -> Int { (grid.rows * step + gap + 1) / 2 }

  /// The largest grid that a terminal has room for, up to a limit.
  static func grid(columns: Int, lines: Int, atMost most: Grid) -> Grid {
    Grid(
      columns: max(1, min(most.columns, (columns - gap) / step)),
      rows: max(1, min(most.rows, (lines * 2 - gap) / step)))
  }

  // MARK: In colours

  /// Upper half blocks: the upper pixel is the character's colour, the lower one its ground's.
  static func coloured(_ alphas: Alphas) -> [String] {
    let colours = alphas.values.enumerated().map { cell, alpha in
      (Palette.colour(of: cell, in: alphas.grid), alpha)
    }
    func pixel(_ x: Int, _ y: Int) -> Colour {
      let (column, row) = (x / step, y / step)
      let (left, top) = (x % step - gap, y % step - gap)
      guard left >= 0, top >= 0, column < alphas.grid.columns, row < alphas.grid.rows else {
        return Palette.background
      }
      let (colour, alpha) = colours[row * alphas.grid.columns + column]
      // Corners are rounded.
      let isCorner = (left == 0 || left == side - 1) && (top == 0 || top == side - 1)
      return Palette.background.mixed(with: colour, isCorner ? alpha * 0.4 : alpha)
    }
    return (0..<lines(of: alphas.grid)).map { line in
      var text = ""
      var last: (Colour, Colour)?
      for x in 0..<columns(of: alphas.grid) {
        let now = (pixel(x, line * 2), pixel(x, line * 2 + 1))
        if last == nil || last! != now {
          text += escape(38, now.0) + escape(48, now.1)
          last = now
        }
        text += "▀"
      }
      return text + "\u{1B}[0m"
    }
  }

  private static func escape(_ what: Int, _ colour: Colour) -> String {
    let parts = colour.components
    return "\u{1B}[\(what);2;\(parts[0]);\(parts[1]);\(parts[2])m"
  }

  // MARK: In shades

  private static let shades: [Character] = [" ", "░", "▒", "▓", "█"]

  /// Two characters to a cell.
  static func shaded(_ alphas: Alphas) -> [String] {
    (0..<alphas.grid.rows).map { row in
      let start = row * alphas.grid.columns
      return alphas.values[start..<start + alphas.grid.columns].map { alpha in
        let shade = shades[min(shades.count - 1, Int(alpha * Double(shades.count)))]
        return String(repeating: shade, count: 2)
      }.joined()
    }
  }
}
