// Palette — the colours of a picture, on light ground and on dark: those of the recorder's page.

struct Palette: Sendable {
  let ground: String
  let lane: String
  let line: String
  let text: String
  let quiet: String
  let run: String
  let runInk: String
  let sync: String
  let syncInk: String
  let barrier: String
  let barrierInk: String
  let wait: String
  let waitLine: String
  let blocked: String
  let blockedGround: String
  let span: String
  let accent: String
  let accentInk: String

  static let light = Palette(
    ground: "#ffffff", lane: "#f4f6f9", line: "#c3cad4", text: "#16202c", quiet: "#556273",
    run: "#0072b2", runInk: "#ffffff", sync: "#00936b", syncInk: "#001a12", barrier: "#ac4f84",
    barrierInk: "#ffffff", wait: "#fbe7bf", waitLine: "#e69f00", blocked: "#d55e00",
    blockedGround: "#fff1e6", span: "#f0e442", accent: "#b1005e", accentInk: "#ffffff")

  static let dark = Palette(
    ground: "#12161c", lane: "#1a2029", line: "#3d4959", text: "#e8edf3", quiet: "#9babbd",
    run: "#56b4e9", runInk: "#04192a", sync: "#00a377", syncInk: "#00180f", barrier: "#d98bb6",
    barrierInk: "#2c0a1c", wait: "#4d3b12", waitLine: "#e69f00", blocked: "#f0732a",
    blockedGround: "#3a1c08", span: "#b7ad2a", accent: "#ff8ac6", accentInk: "#3a1c2d")
}
