// PhotoFailure — why a photo could not be done, in words for its owner.

import Glibc

package enum PhotoFailure: Error, Hashable, Sendable {
  /// A system call on a file of ours or of the owner's failed.
  case system(doing: String, code: Int32)
  case empty
  case notAPhoto
  case notAPlainFile
  /// The file ends before the picture does.
  case cutShort
  case damaged(String)
  case gigantic(width: Int, height: Int, limit: PhotoLimit)
  case outOfMemory
  case transfer(String)
  case faceSearch(String)
  /// The run's timeline is not there, for this reason.
  case timeline(String)
  /// The result would replace the photo.
  case wouldReplaceThePhoto
}

/// The largest photo that is taken: decoding costs four bytes a pixel.
package struct PhotoLimit: Hashable, Sendable {
  package let megapixels: Int

  package init(megapixels: Int) {
    self.megapixels = megapixels
  }

  /// 256 MB of pixels; more than today's telephones and most cameras make.
  package static let standard = PhotoLimit(megapixels: 64)

  package var pixels: Int { megapixels * 1_000_000 }

  /// Cairo's pictures have no longer side.
  package static let longestSide = 32_767
}

extension PhotoFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let doing, let code): "cannot \(doing): \(String(cString: strerror(code)))"
    case .empty: "the file is empty"
    case .notAPhoto: "not a JPEG or PNG photo"
    case .notAPlainFile: "not a plain file"
    case .cutShort: "the file is cut short"
    case .damaged(let detail): "the file is damaged (\(detail))"
    case .gigantic(let width, let height, let limit):
      "\(width) × \(height) pixels are too many: "
        + "the limit is \(limit.megapixels) million, \(PhotoLimit.longestSide) a side"
    case .outOfMemory: "not enough memory"
    case .transfer(let detail): detail
    case .faceSearch(let detail): "the search for faces failed: \(detail)"
    case .timeline(let detail): detail
    case .wouldReplaceThePhoto: "the result would replace the photo; choose another --out"
    }
  }
}
