// DownloadPhoto — a photo at an address.

import Glibc
import Synchronization

package final class DownloadPhoto: Photo {
  package let address: String
  private let limit: PhotoLimit
  private let state = PhotoState(status: .downloading)
  /// What was downloaded, in a file without a name: it vanishes with us.
  private let file = Mutex<NamelessFile?>(nil)
  private let arrived = Mutex(false)
  private let transferred = Mutex(DownloadProgress())

  package init(address: String, limit: PhotoLimit = .standard) {
    self.address = address
    self.limit = limit
  }

  package var name: String { address }
  package var stem: String { FileName.stem(ofAddress: address) }
  package var status: PhotoStatus { state.status }
  package var thumbnail: Thumbnail? { state.thumbnail }
  package var original: FilePath? { nil }

  /// Whether the download succeeded, whatever it turns out to hold.
  package var hasArrived: Bool { arrived.withLock { $0 } }

  /// What has come until now.
  package var progress: DownloadProgress { transferred.withLock { $0 } }

  /// Downloads the photo, keeping it in a nameless file in `folder`. Where `completion`
  /// runs, in the background, `status` is no longer `.downloading`.
  package func download(
    by downloader: Downloader, into folder: FilePath, limits: DownloadLimits,
    completion: @escaping @Sendable () -> Void
  ) {
    let target: NamelessFile
    do throws(PhotoFailure) {
      target = try NamelessFile(in: folder)
    } catch {
      state.status = .failed(error)
      completion()
      return
    }
    let progress: @Sendable (DownloadProgress) -> Void = { progress in
      self.transferred.withLock { $0 = progress }
    }
    downloader.download(
      address, to: target.asTarget, limits: limits, progress: progress
    ) { failure in
      if let failure {
        self.state.status = .failed(failure)
      } else {
        self.file.withLock { $0 = target }
        self.arrived.withLock { $0 = true }
        self.state.status = .ready
      }
      completion()
    }
  }

  package func image() throws(PhotoFailure) -> Picture {
    try state.load { () throws(PhotoFailure) in try downloaded().read(limit: limit) }
  }

  package func copy(to file: PendingFile) throws(PhotoFailure) {
    try downloaded().copy(to: file)
  }

  private func downloaded() throws(PhotoFailure) -> NamelessFile {
    guard let source = file.withLock({ $0 }) else { throw .transfer("not downloaded") }
    return source
  }

  package func releaseThumbnail() { state.releaseThumbnail() }

  package func releaseImage() {
    file.withLock { $0 = nil }
  }
}

// SAFETY: used by one thread at a time, first the download's, then the reader's; the
// photo's lock hands it from one to the other.
/// A file that has no name from its first moment on.
private final class NamelessFile: @unchecked Sendable {
  private let file: UnsafeMutablePointer<FILE>

  init(in folder: FilePath) throws(PhotoFailure) {
    let path = folder.appending(".download.\(getpid()).\(PendingFile.nextNumber()).partial")
    guard let file = path.withCString({ fopen($0, "w+bxe") }) else {
      throw .system(doing: "store it in \(folder)", code: errno)
    }
    _ = path.withCString { unlink($0) }
    self.file = file
  }

  deinit {
    fclose(file)
  }

  var asTarget: Downloader.Target { Downloader.Target(file: file) }

  func copy(to target: PendingFile) throws(PhotoFailure) {
    try target.write(copyOf: file)
  }

  func read(limit: PhotoLimit) throws(PhotoFailure) -> Picture {
    try Picture.read(file, limit: limit)
  }
}
