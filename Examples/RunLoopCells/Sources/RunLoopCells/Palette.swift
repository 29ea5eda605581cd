// Palette — which colour a cell has, before its alpha.

struct Colour: Equatable, Sendable {
  var red: Double
  var green: Double
  var blue: Double

  init(_ hexadecimal: UInt32) {
    red = Double(hexadecimal >> 16 & 0xFF)
    green = Double(hexadecimal >> 8 & 0xFF)
    blue = Double(hexadecimal & 0xFF)
  }

  /// A share of the way to another: what that one is over this one with so much alpha.
  func mixed(with other: Colour, _ share: Double) -> Colour {
    var result = self
    result.red += (other.red - red) * share
    result.green += (other.green - green) * share
    result.blue += (other.blue - blue) * share
    return result
  }

  /// From 0 to 255 each.
  var components: [Int] { [red, green, blue].map { Int($0.rounded()) } }
}

enum Palette {
  static let background = Colour(0x11_11_1B)

  /// From the upper left to the lower right.
  private static let stops: [Colour] = [
    Colour(0x22_D3_EE), Colour(0x63_66_F1), Colour(0xC0_26_D3), Colour(0xF4_3F_5E),
    Colour(0xFB_92_3C), Colour(0xFD_E0_47),
  ]

  static func colour(of cell: Int, in grid: Grid) -> Colour {
    let steps = max(1, grid.columns + grid.rows - 2)
    let place = Double(cell % grid.columns + cell / grid.columns) / Double(steps)
    let scaled = place * Double(stops.count - 1)
    let index = min(Int(scaled), stops.count - 2)
    return stops[index].mixed(with: stops[index + 1], scaled - Double(index))
  }
}
