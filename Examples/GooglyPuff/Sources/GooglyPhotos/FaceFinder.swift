// FaceFinder — finds faces. Half a second to make.

import CFaces

// SAFETY: never written after `init`; its search is safe among threads.
final class FaceFinder: @unchecked Sendable {
  private let finder: OpaquePointer

  init() throws(PhotoFailure) {
    finder = try made { cfaces_detector_make($0, $1) }
  }

  deinit { cfaces_detector_free(finder) }

  func boxes(in image: FaceImage, atMost limit: Int) throws(PhotoFailure) -> [cfaces_box] {
    var reason = CText()
    var found = [cfaces_box](repeating: cfaces_box(), count: limit)
    let count = reason.fill { text, size in
      cfaces_find(finder, image.image, &found, Int32(limit), text, size)
    }
    guard count >= 0 else { throw .faceSearch(reason.text) }
    return Array(found.prefix(Int(count)))
  }
}
