// StepPage — a walk as a page of its own: the picture, the code, and the events one at a time.

import FoundationEssentials

struct StepPage {
  let drawing: Drawing
  let dark: Drawing
  let code: SceneCode

  /// The page. It fetches nothing: what it shows is in it.
  func html() throws -> String {
    let picture = drawing.picture
    let walk = Walk(drawing, picture: picture, code: code)
    // In a script's text only `<` could end it.
    let data = String(decoding: try JSONEncoder().encode(walk), as: UTF8.self)
      .replacing("<", with: "\\u003c")
    // The two pictures stand in one document: the second has another name for its pattern.
    let pictures = [
      ("light", picture.svg),
      (
        "dark",
        dark.picture.svg.replacing("\"blocked\"", with: "\"blocked-dark\"")
          .replacing("url(#blocked)", with: "url(#blocked-dark)")
      ),
    ]
    let title = Canvas.escaped(walk.title)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(StepPage.style)</style>
      </head>
      <body>
      <header>
      <h1>\(title)</h1>
      <p class="quiet">\(Canvas.escaped(walk.source))</p>
      </header>
      <nav aria-label="Events">
      <button type="button" id="first" aria-label="First event">|◀</button>
      <button type="button" id="back">◀ Back</button>
      <button type="button" id="next">Next ▶</button>
      <button type="button" id="last" aria-label="Last event">▶|</button>
      <input type="range" id="range" min="0" step="1" aria-label="Event">
      <output id="count" for="range"></output>
      </nav>
      <p id="event" role="status" aria-live="polite"></p>
      <main>
      <section id="picture" aria-label="Picture">
      \(pictures.map { "<div class=\"\($0.0)\">\($0.1)</div>" }.joined(separator: "\n"))
      </section>
      <section id="code" aria-label="Code" tabindex="0"></section>
      <section id="steps" aria-label="Steps"><ol></ol></section>
      <section id="events" aria-label="All events" tabindex="0"><ol></ol></section>
      </main>
      <p class="quiet keys"><kbd>→</kbd> next event, <kbd>←</kbd> back, <kbd>Home</kbd> first,
      <kbd>End</kbd> last, <kbd>↓</kbd> next step, <kbd>↑</kbd> step before</p>
      <script type="application/json" id="walk">\(data)</script>
      <script>
      \(StepPage.script)</script>
      </body>
      </html>

      """
  }
}
