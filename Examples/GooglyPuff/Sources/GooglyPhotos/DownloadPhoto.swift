// DownloadPhoto — a photo at an address.

import CTransfers
import Glibc
import SignalboxDispatch
import Synchronization

package struct DownloadLimits: Sendable {
  /// The longest time to connect, and without a byte.
  package var silenceSeconds: Int
  /// The longest download: slow lines get twenty times the silence.
  package var wholeSeconds: Int { 20 * silenceSeconds }
  package var bytes: Int

  package static let standard = DownloadLimits(silenceSeconds: 15, bytes: 128 * 1024 * 1024)

  package init(silenceSeconds: Int, bytes: Int) {
    self.silenceSeconds = silenceSeconds
    self.bytes = bytes
  }
}

package final class DownloadPhoto: Photo {
  package let address: String
  private let limit: PhotoLimit
  private let state = PhotoState(status: .downloading)
  /// What was downloaded, in a file without a name: it vanishes with us.
  private let file = Mutex<NamelessFile?>(nil)
  private let arrived = Mutex(false)

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

  /// Downloads the photo, keeping it in a nameless file in `folder`. Blocks; when it
  /// returns, `status` is no longer `.downloading`.
  package func download(into folder: FilePath, limits: DownloadLimits) {
    do throws(PhotoFailure) {
      let target = try NamelessFile(in: folder)
      try target.fill(from: address, limits: limits)
      file.withLock { $0 = target }
      arrived.withLock { $0 = true }
      state.status = .ready
    } catch {
      state.status = .failed(error)
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

  package func releaseImage() {
    file.withLock { $0 = nil }
  }
}

/// A file that has no name from its first moment on.
///
/// Touching  one thread at a time, first the download's, then the reader's; the
/// photo's lock hands it from one to the other.
// SAFETY: see Touching above.
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

  func fill(from address: String, limits: DownloadLimits) throws(PhotoFailure) {
    var reason = [CChar](repeating: 0, count: 400)
    let bounds = ctransfers_limits(
      silence_seconds: limits.silenceSeconds, whole_seconds: limits.wholeSeconds,
      bytes: Int64(limits.bytes))
    guard ctransfers_fetch(address, file, bounds, &reason, reason.count) == 0 else {
      throw .transfer(reason.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
  }

  func copy(to target: PendingFile) throws(PhotoFailure) {
    try target.write(copyOf: file)
  }

  func read(limit: PhotoLimit) throws(PhotoFailure) -> Picture {
    try Picture.read(file, limit: limit)
  }
}
