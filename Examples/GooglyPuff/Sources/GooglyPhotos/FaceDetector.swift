// FaceDetector — faces in a picture, and where their eyes are.

import CFaces
import SignalboxDispatch
import SignalboxTrace

package struct Eye: Equatable, Sendable {
  package var x: Double
  package var y: Double
  /// From corner to corner.
  package var width: Double
}

package struct Face: Equatable, Sendable {
  /// The eye further left in the picture.
  package var leftEye: Eye
  package var rightEye: Eye
}

// SAFETY: `detector` is never written after `init`; its search is safe among threads.
package final class FaceDetector: @unchecked Sendable {
  /// Where Debian's package `libdlib-data` puts the model.
  package static let standardModel = FilePath(
    "/usr/share/dlib/shape_predictor_68_face_landmarks.dat")

  /// The search costs 0.1 µs a pixel and finds faces from 80 pixels across: in
  /// larger photos those from a twenty-fifth of the photo's longer side.
  private static let longestSide = 2_048
  private static let mostFaces = 256

  private let detector: OpaquePointer
  private let model: FilePath

  /// Half a second; the first face costs another, for the model.
  package init(model: FilePath = standardModel) throws(PhotoFailure) {
    var reason = CText()
    let made = model.withCString { model in
      reason.fill { cfaces_detector_make(model, $0, $1) }
    }
    guard let detector = made else {
      throw .faceSearch(reason.text)
    }
    self.detector = detector
    self.model = model
  }

  deinit {
    cfaces_detector_free(detector)
  }

  package func faces(in picture: Picture) throws(PhotoFailure) -> [Face] {
    let small = try picture.reduced(toSide: Self.longestSide)
    var reason = CText()
    var found = [cfaces_face](repeating: cfaces_face(), count: Self.mostFaces)
    let count = reason.fill { text, size in
      cfaces_find(
        detector, small.storage.pixels, small.storage.width, small.storage.height,
        small.storage.width * 4, &found, Int32(found.count), text, size)
    }
    guard count >= 0 else { throw .faceSearch("\(model): \(reason.text)") }
    let scale = Double(picture.width) / Double(small.width)
    return found.prefix(Int(count)).map { face in
      Face(leftEye: Eye(face.left_eye, scale: scale), rightEye: Eye(face.right_eye, scale: scale))
    }
  }
}

extension Eye {
  fileprivate init(_ eye: cfaces_eye, scale: Double) {
    self.init(x: eye.x * scale, y: eye.y * scale, width: eye.width * scale)
  }
}

// SAFETY: `outcome` is touched in items of the serial `queue` only.
/// The detector, loaded by whoever needs it first while the others wait.
package final class SharedFaceDetector: @unchecked Sendable {
  private let model: FilePath
  private let queue = DispatchQueue(label: "GooglyPuff.detector")
  private var outcome: Result<FaceDetector, PhotoFailure>?

  package init(model: FilePath) {
    self.model = model
  }

  /// Begins to load it.
  package func prepare() {
    queue.async { _ = self.load() }
  }

  func detector() throws(PhotoFailure) -> FaceDetector {
    try queue.sync { load() }.get()
  }

  private func load() -> Result<FaceDetector, PhotoFailure> {
    if let outcome { return outcome }
    TraceRecorder.mark("loads the detector")
    let made = Result { () throws(PhotoFailure) in try FaceDetector(model: model) }
    outcome = made
    return made
  }
}
