// CellsPage — the cells as a page: while the program runs it loads itself anew, and shows
// all rounds when that is over.
//
// Touching    everything: the main thread only.

import Glibc

final class CellsPage {
  /// A page shows no more than this many.
  static let mostRounds = 240

  private let folder: String
  private let pause: Double
  /// What went wrong with the page, once.
  private(set) var failure: String?

  init(folder: String, pause: Double) {
    self.folder = folder
    self.pause = pause
  }

  var path: String { "\(folder)/index.html" }

  /// Written under another name, then renamed: nobody sees half a page.
  func write(_ rounds: [Alphas], isLast: Bool) {
    if failure != nil || rounds.isEmpty { return }
    if mkdir(folder, 0o777) != 0 && errno != EEXIST { return fail(folder) }
    let part = "\(path).part"
    guard let file = fopen(part, "w") else { return fail(part) }
    let text = Self.html(rounds, isLast: isLast, pause: pause)
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten, rename(part, path) == 0 else { return fail(part) }
  }

  private func fail(_ path: String) { failure = "\(path): \(String(cString: strerror(errno)))" }

  static func html(_ rounds: [Alphas], isLast: Bool, pause: Double) -> String {
    let grid = rounds.last!.grid
    let cells = (0..<grid.count).map { cell in
      let parts = Palette.colour(of: cell, in: grid).components
      let alpha = percent(rounds.last!.values[cell])
      return
        "<i style=\"background:rgb(\(parts[0]) \(parts[1]) \(parts[2]));opacity:\(alpha)%\"></i>"
    }
    // While it runs, what is shown fades from the round before to the last one.
    let shown = isLast ? rounds : Array(rounds.suffix(2))
    let table = shown.map { round in
      "[\(round.values.map { "\(percent($0))" }.joined(separator: ","))]"
    }
    let count = rounds.last!.round
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      \(isLast ? "" : "<meta http-equiv=\"refresh\" content=\"\(max(1, Int(pause.rounded(.up))))\">")
      <title>RunLoopCells: \(count == 1 ? "1 round" : "\(count) rounds")</title>
      <style>
      \(style(grid, ground: Palette.background))
      </style>
      </head>
      <body>
      <main>
      <h1>RunLoopCells</h1>
      <p>Main asks, the second thread computes \(grid.count) alphas, main redraws. <b id="round">Round \
      \(count)</b>\(isLast ? ", and stopped" : "").</p>
      <div class="cells">\(cells.joined(separator: "\n"))</div>
      </main>
      <script>
      const rounds = [\(table.joined(separator: ",\n"))];
      const first = \(count - shown.count + 1), isLast = \(isLast);
      const cells = document.querySelectorAll(".cells i"), label = document.getElementById("round");
      function show(index) {
        cells.forEach((cell, at) => cell.style.opacity = rounds[index][at] / 100);
        label.textContent = "Round " + (first + index);
      }
      let index = 0;
      show(index);
      document.body.offsetWidth;
      document.body.className = "fading";
      function next() {
        index = isLast ? (index + 1) % rounds.length : Math.min(index + 1, rounds.length - 1);
        show(index);
      }
      next();
      if (isLast) setInterval(next, 1000);
      </script>
      </body>
      </html>

      """
  }

  private static func percent(_ alpha: Double) -> Int { Int((alpha * 100).rounded()) }

  private static func style(_ grid: Grid, ground: Colour) -> String {
    let parts = ground.components
    return """
      html { color-scheme: dark; background: rgb(\(parts[0]) \(parts[1]) \(parts[2])); }
      body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #c9c9d9; }
      main { max-width: 60rem; margin: 0 auto; padding: clamp(1rem, 4vw, 3rem); }
      h1 { margin: 0; font-size: 1.5rem; color: #fff; }
      p { margin: 0.25rem 0 1.5rem; }
      b { font-variant-numeric: tabular-nums; color: #fff; }
      .cells { display: grid; grid-template-columns: repeat(\(grid.columns), 1fr); gap: 2.2%; }
      .cells i { aspect-ratio: 1; border-radius: 22%; }
      .fading .cells i { transition: opacity 0.7s ease-in-out; }
      @media (prefers-reduced-motion: reduce) { .fading .cells i { transition: none; } }
      """
  }
}
