// PageFile — a file of the page, which is a part of the program.

import GooglyPage

struct PageFile: Sendable {
  let name: String
  let type: String
  // SAFETY: constant memory of the program, never freed.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// The file of that name, `index.html` for the empty one.
  init?(_ name: String) {
    let name = name.isEmpty ? "index.html" : name
    var size = 0
    guard let bytes = googly_page_file(name, &size), let type = Self.type(of: name) else {
      return nil
    }
    self.name = name
    self.type = type
    self.bytes = UnsafeRawBufferPointer(start: bytes, count: size)
  }

  private static func type(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest", "json": "application/json"
    default: nil
    }
  }
}
