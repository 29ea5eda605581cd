// FilePhoto — a photo in a file: the owner's, or a copy of ours that has a label.

import Glibc

package final class FilePhoto: Photo {
  package let path: FilePath
  private let limit: PhotoLimit
  private let state = PhotoState(status: .ready)

  /// What to call it if not by its path: a label, and never a path.
  private let label: String?

  package init(path: FilePath, label: String? = nil, limit: PhotoLimit = .standard) {
    self.path = path
    self.label = label
    self.limit = limit
  }

  package var name: String { label ?? path.description }
  package var stem: String { FileName.stem(of: label ?? path.lastComponent.description) }
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

  package func releaseThumbnail() { state.releaseThumbnail() }
}
