// FilePhoto — a photo in a file.

import Glibc

package final class FilePhoto: Photo {
  package let path: FilePath
  private let limit: PhotoLimit
  private let state = PhotoState(status: .ready)

  package init(path: FilePath, limit: PhotoLimit = .standard) {
    self.path = path
    self.limit = limit
  }

  package var name: String { path.description }
  package var stem: String { FileName.stem(of: path.lastComponent.description) }
  package var status: PhotoStatus { state.status }
  package var thumbnail: Thumbnail? { state.thumbnail }
  package var original: FilePath? { path }

  package func image() throws(PhotoFailure) -> Picture {
    try state.load { () throws(PhotoFailure) in try Picture.read(path, limit: limit) }
  }

  package func copy(to file: PendingFile) throws(PhotoFailure) {
    let source = try Picture.open(path)
    defer { fclose(source) }
    try file.write(copyOf: source)
  }

  package func releaseImage() {}
}
