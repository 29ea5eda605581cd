// EyeLandmarks — finds a face's eyes. A second to make, and 100 MB.

import CFaces

// SAFETY: never written after `init`; its search is safe among threads.
final class EyeLandmarks: @unchecked Sendable {
  private let landmarks: OpaquePointer
  private let model: FilePath

  init(model: FilePath) throws(PhotoFailure) {
    self.model = model
    landmarks = try made("\(model): ") { text, size in
      model.withCString { cfaces_landmarks_make($0, text, size) }
    }
  }

  deinit { cfaces_landmarks_free(landmarks) }

  func eyes(of face: cfaces_box, in image: FaceImage) throws(PhotoFailure) -> cfaces_eyes {
    var reason = CText()
    var eyes = cfaces_eyes()
    let failed = reason.fill { text, size in
      cfaces_find_eyes(landmarks, image.image, face, &eyes, text, size)
    }
    guard failed == 0 else { throw .faceSearch("\(model): \(reason.text)") }
    return eyes
  }
}
