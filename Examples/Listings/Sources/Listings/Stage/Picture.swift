// Picture — a picture small enough to be read in a listing.

/// Stands in for the documents' images: lines of characters, in which a face is
/// `(o o)` and googly eyes are `(@ @)`.
struct Picture: Sendable, Equatable {
  let lines: [String]

  static let portrait = Picture(lines: [" .---. ", " (o o) ", "  '-'  "])
  static let meadow = Picture(lines: [",,,,,,,", ",,*,,,,", ",,,,,*,"])

  /// The same picture many times over.
  func enlarged(_ times: Int) -> Picture {
    Picture(lines: Array(repeatElement(lines, count: times).joined()))
  }

  /// The number of faces with eyes of the given kind.
  private func count(of eyes: [Character]) -> Int {
    lines.reduce(0) { sum, line in
      let characters = Array(line)
      return sum + characters.indices.filter { characters[$0...].starts(with: eyes) }.count
    }
  }

  var faces: Int { count(of: Array("(o o)")) }
  var googlyFaces: Int { count(of: Array("(@ @)")) }

  /// The picture with googly eyes on every face: the work that takes its time.
  func withGooglyEyes() -> Picture {
    Picture(
      lines: lines.map { line in
        var characters = Array(line)
        for start in characters.indices where characters[start...].starts(with: "(o o)") {
          characters.replaceSubrange(start..<start + 5, with: "(@ @)")
        }
        return String(characters)
      })
  }
}

/// A photo by its name; what the photo managers of the documents keep.
struct Photo: Sendable, Hashable {
  let name: String
}
