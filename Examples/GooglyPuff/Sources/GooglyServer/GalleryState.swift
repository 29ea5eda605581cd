// GalleryState — what the page is told of the gallery: values that go from the main queue to the
// server's.

import GooglyPhotos

struct GalleryPhoto: Equatable, Sendable {
  enum Kind: String {
    case file
    case upload
    case address
  }

  enum Status: String {
    case downloading
    case ready
    case failed
  }

  enum Work: String {
    case none
    case waiting
    case running
    case done
    case failed
  }

  let id: Int
  let name: String
  let kind: Kind
  var status = Status.ready
  var received = 0
  var expected: Int?
  var error: String?
  var work = Work.none
  var faces: Int?
  var width: Int?
  var height: Int?
  /// How often the thumbnail changed.
  var edition = 0

  /// The photo's own file, and its format once somebody has looked.
  var original: FilePath?
  var format: Picture.Format?
  /// Paths from the folder of results.
  var before: String?
  var after: String?
  var result: String?

  /// Names the picture forever, and so the run too: a browser keeps it, and the next run may have
  /// the same port.
  var thumbnail: String? { edition == 0 ? nil : "\(Self.run).\(id).\(edition)" }

  private static let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)
}

struct GalleryState: Sendable {
  struct Notice: Equatable, Sendable {
    let id: Int
    let text: String
  }

  /// Whose addresses "Le Internet" has.
  enum Internet: String {
    case none
    /// The program's own server's.
    case own
    /// The command line's.
    case given
  }

  struct Downloads: Equatable, Sendable {
    var outstanding: Int
    var total: Int
  }

  var version = 1
  var prompt: String?
  var notice: Notice?
  /// By `id`, which grows.
  var photos: [GalleryPhoto] = []
  var downloads: Downloads?
  var internet = Internet.none
  var megapixels = PhotoLimit.standard.megapixels

  func index(of id: Int) -> Int? {
    var (low, high) = (0, photos.count)
    while low < high {
      let middle = (low + high) / 2
      if photos[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < photos.count && photos[low].id == id ? low : nil
  }

  func photo(_ id: Int) -> GalleryPhoto? { index(of: id).map { photos[$0] } }
}

extension GalleryPhoto {
  /// As JSON for the page.
  var text: [UInt8] {
    var json = JSONText()
    json.object {
      $0.member("id", id)
      $0.member("name", name)
      $0.member("kind", kind.rawValue)
      $0.member("status", status.rawValue)
      $0.member("received", received)
      $0.member("expected", expected)
      $0.member("error", error)
      $0.member("work", work.rawValue)
      $0.member("faces", faces)
      $0.member("width", width)
      $0.member("height", height)
      $0.member("thumbnail", thumbnail)
    }
    return json.bytes
  }
}
