// Output — the files of a scene: the timeline, the recording's story, the steps, the picture.

import Glibc
import SignalboxTrace

struct Output {
  let scene: Scene
  let folder: String
  /// Whether there is a page, too, that goes through the run one event at a time.
  var hasSteps = false

  static func endings(hasSteps: Bool) -> [String] {
    [".html", ".json", ".txt", ".svg", "~dark.svg"] + (hasSteps ? [".step.html"] : [])
  }

  /// Writes all of them from what was recorded.
  func write() throws {
    let base = "\(folder)/\(scene.name)"
    try TraceRecorder.write(to: "\(base).html")
    try TraceRecorder.write(to: "\(base).json")
    let run = RecordedRun(try StoryFile(json: try Output.read("\(base).json")))
    let matches = try StepMatch.all(scene.steps, in: run)
    try put(StepText(scene: scene, run: run, matches: matches).text, "\(base).txt")
    let drawings = [Palette.light, .dark].map {
      Drawing(scene: scene, run: run, matches: matches, palette: $0)
    }
    try put(drawings[0].svg, "\(base).svg")
    try put(drawings[1].svg, "\(base)~dark.svg")
    guard hasSteps else { return }
    let page = StepPage(
      drawing: drawings[0], dark: drawings[1], code: try SceneCode.of(scene.name))
    try put(try page.html(), "\(base).step.html")
  }

  struct Failure: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String { "\(path): \(String(cString: strerror(code)))" }
  }

  private func put(_ text: String, _ path: String) throws(Failure) {
    guard let file = fopen(path, "w") else { throw Failure(path: path, code: errno) }
    let isPut = fputs(text, file) >= 0
    guard fclose(file) == 0, isPut else { throw Failure(path: path, code: errno) }
  }

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    guard let file = fopen(path, "r") else { throw Failure(path: path, code: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      guard ferror(file) == 0 else { throw Failure(path: path, code: errno) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}
