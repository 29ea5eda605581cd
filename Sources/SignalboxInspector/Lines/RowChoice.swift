// RowChoice — takes the rows of a line program one after the other, and keeps the one for each place.
//
// A row with line 0 gives way to the nearest earlier row with a line, within the sequence and the
// function. If the function is not known, or has no such row, the place has no line: the earlier
// row may belong to another function.

struct RowChoice {
  /// By address.
  private let places: [LinePlace]
  /// The row of each place, in the same order; nil if none was found yet.
  private(set) var rows: [LineRow?]
  private var isCovered: [Bool]
  private var open: Int
  /// How often a row covered a place: a table that covers places again and again is damaged.
  private var visits = 0

  /// The first place that is not below the last row.
  private var next = 0
  /// The last row of the sequence; nil at its beginning.
  private var last: LineRow?
  /// The last row with a line.
  private var numbered: LineRow?

  /// - Parameter places: in the order of their addresses.
  init(_ places: [LinePlace]) {
    self.places = places
    rows = Array(repeating: nil, count: places.count)
    isCovered = Array(repeating: false, count: places.count)
    open = places.count
  }

  /// Whether no more rows are needed.
  var isDone: Bool { open == 0 || visits > Limits.attempts * places.count }

  mutating func take(_ row: LineRow) {
    move(to: row.address)
    last = row
    if row.line != 0 { numbered = row }
  }

  mutating func endSequence(at address: UInt64) {
    move(to: address)
    last = nil
    numbered = nil
  }

  private mutating func move(to address: UInt64) {
    guard let last, last.address <= address else {
      // The addresses of a sequence do not fall; if they do, the rows in between cover nothing.
      next = places.partition(below: address)
      return
    }
    while next < places.count, places[next].address < address {
      visits += 1
      if !isCovered[next] {
        isCovered[next] = true
        open -= 1
        rows[next] = last.line == 0 ? earlier(places[next]) : last
      }
      next += 1
    }
  }

  private func earlier(_ place: LinePlace) -> LineRow? {
    guard let numbered, let function = place.function, function <= numbered.address,
      numbered.address <= place.address
    else { return nil }
    return numbered
  }
}

extension [LinePlace] {
  /// The index of the first place that is not below the address.
  func partition(below address: UInt64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].address < address { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
