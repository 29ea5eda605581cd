// Photo — a picture to be given googly eyes, wherever it comes from.
//
// Two kinds: `FilePhoto` from a file, `DownloadPhoto` from an address.

import Synchronization

package protocol Photo: AnyObject, Sendable {
  /// What to call the photo in messages.
  var name: String { get }

  /// The result's file name, without extension.
  var stem: String { get }

  var status: PhotoStatus { get }

  /// The picture at full size: read anew each time, as it may be large. Blocks, and
  /// belongs on a background queue.
  func image() throws(PhotoFailure) -> Picture

  /// A small copy, there as soon as the picture has been read once.
  var thumbnail: Thumbnail? { get }

  /// The file in a folder of the owner's, which no result may replace.
  var original: FilePath? { get }

  /// Writes the photo's own bytes. Blocks.
  func copy(to file: PendingFile) throws(PhotoFailure)

  /// Lets go of what only `image()` needs.
  func releaseImage()

  /// Lets go of the small copy, when it lies in a file; the next `image()` makes another.
  func releaseThumbnail()
}

package enum PhotoStatus: Equatable, Sendable {
  case downloading
  case ready
  case failed(PhotoFailure)
}

/// What changes in a photo; both kinds keep one.
final class PhotoState: Sendable {
  private struct Contents {
    var status: PhotoStatus
    var thumbnail: Thumbnail?
  }

  private let contents: Mutex<Contents>

  init(status: PhotoStatus) {
    contents = Mutex(Contents(status: status))
  }

  var status: PhotoStatus {
    get { contents.withLock { $0.status } }
    set { contents.withLock { $0.status = newValue } }
  }

  var thumbnail: Thumbnail? { contents.withLock { $0.thumbnail } }

  func releaseThumbnail() {
    contents.withLock { $0.thumbnail = nil }
  }

  /// Reads the picture, keeps a thumbnail, and remembers a failure.
  func load(
    _ read: () throws(PhotoFailure) -> Picture
  ) throws(PhotoFailure) -> Picture {
    do throws(PhotoFailure) {
      let picture = try read()
      if thumbnail == nil {
        let small = try Thumbnail(of: picture)
        contents.withLock { $0.thumbnail = small }
      }
      return picture
    } catch {
      status = .failed(error)
      throw error
    }
  }
}
