// RowSelection — the selected row of a list that changes: the row that shows what was chosen.

package struct RowSelection<Thing: Equatable> {
  /// What the rows of the last picture show.
  private var things: [Thing] = []
  /// What the selection follows, wherever its row goes; nil until the user has chosen. While it is
  /// nil, the first row is selected, whatever it shows: in a table that is sorted by rate, the
  /// selection would otherwise soon be far from the first row.
  private var chosen: Thing?
  package private(set) var row = 0

  package init() {}

  /// What the selected row shows; nil if there is no row.
  package var selected: Thing? { things.indices.contains(row) ? things[row] : nil }

  /// Takes the rows of the next picture. If what was chosen is gone, chooses the row in its place.
  package mutating func show(_ things: [Thing]) {
    self.things = things
    guard let chosen else { return }
    row = things.firstIndex(of: chosen) ?? max(0, min(row, things.count - 1))
    self.chosen = selected
  }

  /// Chooses the row that is `step` rows below. A step above the first row ends the choice.
  package mutating func move(_ step: Int) {
    let wanted = row + step
    row = max(0, min(wanted, things.count - 1))
    chosen = wanted < 0 ? nil : selected
  }
}
