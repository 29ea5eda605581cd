// PhotoPage — the page that shows every photo before and after.
//
// One file that needs nothing but the pictures beside it.

package struct PhotoPage: Sendable {
  package struct Failure: Equatable, Sendable {
    package let name: String
    package let reason: String

    package init(name: String, reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  package var details: [PhotoDetail]
  package var failures: [Failure]
  /// The address of the run's timeline, if there is one beside the page.
  package var timeline: String?

  package init(details: [PhotoDetail], failures: [Failure], timeline: String? = nil) {
    self.details = details
    self.failures = failures
    self.timeline = timeline
  }

  package var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>GooglyPuff: \(Self.escaped(summary))</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <header>
    \(Self.logo)
    <div>
    <h1>GooglyPuff</h1>
    <p>\(Self.escaped(summary))</p>
    </div>
    </header>
    <main>
    \(details.map(card).joined(separator: "\n"))
    \(failureList)
    </main>
    \(timelineLink)
    </body>
    </html>

    """
  }

  private var summary: String {
    let faces = details.reduce(0) { $0 + $1.faceCount }
    var text = counted(details.count, "photo", "photos", none: "No photo") + ", "
    text += counted(faces, "face", "faces", none: "no face") + " googlyified"
    return failures.isEmpty ? text : text + ", \(failures.count) not done"
  }

  private func card(_ detail: PhotoDetail) -> String {
    let name = Self.escaped(FileName.lastPart(of: detail.name))
    let faces = counted(detail.faceCount, "face", "faces", none: "no face")
    let hasFaces = detail.faceCount > 0
    let after = hasFaces ? "with googly eyes on \(faces)" : "unchanged, as no face was found"
    let caption = hasFaces ? "After" : "After: no face, no eyes"
    return """
      <article>
      <div class="title">
      <h2 title="\(Self.escaped(detail.name))">\(name)</h2>
      <span class="faces\(hasFaces ? "" : " none")">\(faces)</span>
      <span class="size">\(detail.width) × \(detail.height)</span>
      </div>
      <div class="pair">
      \(figure(detail.before, detail.result, caption: "Before", alt: "\(name), before", link: false))
      \(figure(detail.after, detail.result, caption: caption, alt: "\(name), \(after)", link: true))
      </div>
      </article>
      """
  }

  private func figure(
    _ image: PhotoDetail.PageImage, _ target: String, caption: String, alt: String, link: Bool
  ) -> String {
    let picture = """
      <img src="\(Self.address(image.path))" alt="\(alt)" \
      width="\(image.width)" height="\(image.height)" loading="lazy">
      """
    let content =
      link ? "<a href=\"\(Self.address(target))\" title=\"Full size\">\(picture)</a>" : picture
    return "<figure>\(content)<figcaption>\(caption)</figcaption></figure>"
  }

  private var failureList: String {
    if failures.isEmpty { return "" }
    let items = failures.map { failure in
      "<li><strong>\(Self.escaped(failure.name))</strong> \(Self.escaped(failure.reason))</li>"
    }
    return """
      <section class="failures">
      <h2>Not done</h2>
      <ul>
      \(items.joined(separator: "\n"))
      </ul>
      </section>
      """
  }

  private var timelineLink: String {
    guard let timeline else { return "" }
    return """
      <footer><a href="\(timeline)">Timeline of the run</a> which photo waited, which thread \
      did what, who was blocked on whom</footer>
      """
  }

  // MARK: - Text in HTML

  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A relative address for a path: all but letters, digits and `-._~/` as percents.
  static func address(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      let scalar = UnicodeScalar(byte)
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "/":
        result.unicodeScalars.append(scalar)
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }

  private static let logo = """
    <svg viewBox="0 0 96 52" width="96" height="52" aria-hidden="true">
    <g stroke="#23232a" stroke-width="2.5"><circle cx="25" cy="26" r="23" fill="#fff"/>\
    <circle cx="73" cy="27" r="20" fill="#fff"/></g>
    <circle cx="32" cy="34" r="11" fill="#17171c"/><circle cx="66" cy="20" r="10" fill="#17171c"/>
    <g fill="#fff"><circle cx="28.5" cy="30" r="3"/><circle cx="63" cy="16.5" r="2.7"/></g>
    </svg>
    """

  private static let style = """
    :root {
      --ground: #f6f4ef; --card: #ffffff; --ink: #22242a; --soft: #6b6f78;
      --line: #e4e0d6; --mark: #0b7a4b; --mark-ground: #dff3e8; --bad: #a3261b;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #16181d; --card: #1f2229; --ink: #eceef2; --soft: #9aa0ab;
        --line: #31353e; --mark: #7fe0b0; --mark-ground: #17382a; --bad: #ff9a8d;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 72rem;
      background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
    }
    header { display: flex; align-items: center; gap: 1.25rem; margin: 0 0 2rem; }
    header svg { flex: none; }
    h1 { margin: 0; font-size: 2rem; line-height: 1.15; letter-spacing: -0.02em; }
    header p { margin: 0.2rem 0 0; color: var(--soft); }
    article, .failures {
      margin: 0 0 1.5rem; padding: 1rem 1.25rem 1.25rem; border: 1px solid var(--line);
      border-radius: 1rem; background: var(--card);
    }
    .title { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.35rem 0.75rem; }
    h2 { margin: 0; font-size: 1.1rem; overflow-wrap: anywhere; }
    .faces {
      padding: 0.05rem 0.65rem; border-radius: 1rem; font-size: 0.85rem; font-weight: 600;
      color: var(--mark); background: var(--mark-ground);
    }
    .faces.none { color: var(--soft); background: var(--ground); font-weight: 400; }
    .size { margin-left: auto; color: var(--soft); font-size: 0.85rem; }
    .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin-top: 0.85rem; }
    figure { margin: 0; }
    figure img {
      display: block; width: 100%; height: auto; max-height: 80vh; object-fit: contain;
      border-radius: 0.5rem; background: var(--ground);
    }
    figure a { display: block; border-radius: 0.5rem; }
    figure a:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
    figcaption { margin-top: 0.4rem; color: var(--soft); font-size: 0.85rem; text-align: center; }
    .failures h2 { color: var(--bad); }
    .failures ul { margin: 0.5rem 0 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
    footer { color: var(--soft); font-size: 0.85rem; }
    footer a { margin-right: 0.5rem; color: var(--mark); font-size: 1rem; font-weight: 600; }
    @media (max-width: 34rem) { .pair { gap: 0.5rem; } body { padding-top: 1.25rem; } }
    """
}
