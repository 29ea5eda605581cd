// PhotoDetail — the work on one photo, and what came of it.
//
// Runs on a background queue; the result belongs on the main queue.

package struct PhotoDetail: Sendable {
  package let name: String
  package let faceCount: Int
  package let width: Int
  package let height: Int
  /// The photo at full size, and the small copies for the page, by their paths
  /// from the output folder.
  package let result: String
  package let before: PageImage
  package let after: PageImage

  package struct PageImage: Sendable {
    package let path: String
    package let width: Int
    package let height: Int

    package init(path: String, width: Int, height: Int) {
      self.path = path
      self.width = width
      self.height = height
    }
  }

  package init(
    name: String, faceCount: Int, width: Int, height: Int, result: String, before: PageImage,
    after: PageImage
  ) {
    self.name = name
    self.faceCount = faceCount
    self.width = width
    self.height = height
    self.result = result
    self.before = before
    self.after = after
  }
}

/// What the work on photos needs.
package struct DetailWork: Sendable {
  let detector: FaceDetector
  let folder: OutputFolder

  package init(detector: FaceDetector, folder: OutputFolder) {
    self.detector = detector
    self.folder = folder
  }

  /// Finds the faces of `photo`, gives them googly eyes and writes the results under
  /// `resultName`: all of them, or none.
  package func perform(
    on photo: any Photo, resultName: String
  ) throws(PhotoFailure) -> PhotoDetail {
    if let original = photo.original, folder.holds(original) { throw .wouldReplaceThePhoto }
    defer { photo.releaseImage() }
    let picture = try photo.image()
    guard let thumbnail = photo.thumbnail else { throw .outOfMemory }
    let faces = try detector.faces(in: picture)

    var files = PendingFiles(folder: folder)
    let result = "\(resultName).\(picture.format.fileExtension)"
    let before = try files.add(thumbnail, named: "\(resultName).before")
    var after = before
    if faces.isEmpty {
      // Bytes as they were: encoding a JPEG again would only harm it.
      try files.add(result) { file throws(PhotoFailure) in try photo.copy(to: file) }
    } else {
      GooglyEyes.draw(on: faces, in: picture, seed: resultName)
      try files.add(result) { file throws(PhotoFailure) in
        try file.write(picture, as: picture.format)
      }
      after = try files.add(Thumbnail(of: picture), named: "\(resultName).after")
    }
    try files.publish()
    return PhotoDetail(
      name: photo.name, faceCount: faces.count, width: picture.width, height: picture.height,
      result: result, before: before, after: after)
  }
}

/// Files that appear together.
private struct PendingFiles {
  let folder: OutputFolder
  private var files: [PendingFile] = []

  init(folder: OutputFolder) {
    self.folder = folder
  }

  mutating func add(
    _ path: String, write: (PendingFile) throws(PhotoFailure) -> Void
  ) throws(PhotoFailure) {
    let file = try PendingFile(folder.path.appending(path))
    try write(file)
    files.append(file)
  }

  mutating func add(
    _ thumbnail: Thumbnail, named name: String
  ) throws(PhotoFailure) -> PhotoDetail.PageImage {
    let path = "\(OutputFolder.thumbnailsName)/\(name).\(thumbnail.format.fileExtension)"
    try add(path) { file throws(PhotoFailure) in try file.write(thumbnail.bytes) }
    return PhotoDetail.PageImage(path: path, width: thumbnail.width, height: thumbnail.height)
  }

  func publish() throws(PhotoFailure) {
    for (index, file) in files.enumerated() {
      do throws(PhotoFailure) {
        try file.publish()
      } catch {
        for published in files[..<index] { published.withdraw() }
        throw error
      }
    }
  }
}
