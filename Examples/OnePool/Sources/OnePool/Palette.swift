// Palette — the colours of the picture, on light ground and on dark.

struct Palette {
  let ground: String
  let lane: String
  let text: String
  let quiet: String
  let item: String
  let job: String
  let alarm: String

  static let light = Palette(
    ground: "#ffffff", lane: "#f1f3f6", text: "#1d1d1f", quiet: "#5f6570", item: "#2f6fde",
    job: "#e08a1e", alarm: "#c0392b")

  static let dark = Palette(
    ground: "#16181d", lane: "#23262d", text: "#f2f3f5", quiet: "#a3aab6", item: "#6ea2ff",
    job: "#f3a94a", alarm: "#ff7b6b")

  func colour(_ kind: Piece.Kind) -> String { kind == .item ? item : job }
}
