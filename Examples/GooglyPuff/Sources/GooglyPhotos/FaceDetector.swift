// FaceDetector — faces in a picture, and where their eyes are.
//
// What finds faces takes half a second to make, what finds a face's eyes takes a second and
// 100 MB. Both are made once, side by side, and only the first is needed where no face is.

import CFaces

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

package final class FaceDetector: Sendable {
  /// Where Debian's package `libdlib-data` puts the model.
  package static let standardModel = FilePath(
    "/usr/share/dlib/shape_predictor_68_face_landmarks.dat")

  /// The search costs 0.1 µs a pixel and finds faces from 80 pixels across: in
  /// larger photos those from a twenty-fifth of the photo's longer side.
  private static let longestSide = 2_048
  private static let mostFaces = 256

  private let finder: Preparation<FaceFinder>
  private let landmarks: Preparation<EyeLandmarks>

  package init(model: FilePath = standardModel) {
    finder = Preparation("the detector", on: "GooglyPuff.detector") {
      () throws(PhotoFailure) in try FaceFinder()
    }
    landmarks = Preparation("the landmarks", on: "GooglyPuff.landmarks") {
      () throws(PhotoFailure) in try EyeLandmarks(model: model)
    }
  }

  /// Begins to make what a search needs.
  package func prepare() {
    finder.begin()
    landmarks.begin()
  }

  /// Blocks, also until what it needs is made.
  package func faces(in picture: Picture) throws(PhotoFailure) -> [Face] {
    let small = try picture.reduced(toSide: Self.longestSide)
    let image = try FaceImage(small)
    let boxes = try finder.value().boxes(in: image, atMost: Self.mostFaces)
    guard !boxes.isEmpty else { return [] }
    let landmarks = try landmarks.value()
    let scale = Double(picture.width) / Double(small.width)
    return try boxes.map { box throws(PhotoFailure) in
      let eyes = try landmarks.eyes(of: box, in: image)
      return Face(
        leftEye: Eye(eyes.left, scale: scale), rightEye: Eye(eyes.right, scale: scale))
    }
  }
}

extension Eye {
  fileprivate init(_ eye: cfaces_eye, scale: Double) {
    self.init(x: eye.x * scale, y: eye.y * scale, width: eye.width * scale)
  }
}
