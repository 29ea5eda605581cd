// UploadFile — the bytes of a photo that is sent to us, in a file of ours.
//
// Touching  the stream: in items of the server's queue, until `close`; the room: any thread.

import Glibc
import GooglyPhotos
import Synchronization

/// Bytes that uploads may take of the disk, all together.
final class UploadRoom: Sendable {
  private let left: Mutex<Int>

  init(bytes: Int) {
    left = Mutex(bytes)
  }

  func take(_ bytes: Int) -> Bool {
    left.withLock { left in
      guard left >= bytes else { return false }
      left -= bytes
      return true
    }
  }

  func giveBack(_ bytes: Int) {
    left.withLock { $0 += bytes }
  }
}

// SAFETY: what varies is confined to the server's queue until `close`, and constant after it.
final class UploadFile: @unchecked Sendable {
  let path: FilePath
  private let room: UploadRoom
  private let most: Int
  private var descriptor: Int32
  private(set) var size = 0
  private(set) var refusal: Refusal?
  private let isDiscarded = Mutex(false)

  /// Makes the file in `folder`, under a number, for `most` bytes.
  init(
    number: Int, in folder: FilePath, room: UploadRoom, most: Int
  ) throws(PhotoFailure) {
    path = folder.appending("\(number)")
    self.room = room
    self.most = most
    descriptor = path.withCString {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
    guard descriptor >= 0 else { throw .system(doing: "store it", code: errno) }
  }

  deinit {
    discard()
  }

  /// Takes more bytes. Beyond a limit nothing more is stored, and `refusal` says why.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard refusal == nil else { return }
    guard size + bytes.count <= most else { return refuse(Self.tooLarge(most)) }
    guard room.take(bytes.count) else {
      return refuse(Refusal(status: 507, sentence: "There is no room for more photos."))
    }
    size += bytes.count
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = PhotoFailure.system(doing: "store it", code: errno)
        return refuse(Refusal(status: 507, sentence: failure.description))
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  static func tooLarge(_ most: Int) -> Refusal {
    let size = most % (1 << 20) == 0 ? "\(most >> 20) MB" : "\(most) bytes"
    return Refusal(status: 413, sentence: "A photo may have \(size), and this one has more.")
  }

  /// Ends the writing; whether all is there.
  func close() -> Refusal? {
    guard descriptor >= 0 else { return refusal }
    let outcome = Glibc.close(descriptor)
    descriptor = -1
    if outcome != 0 {
      let failure = PhotoFailure.system(doing: "store it", code: errno)
      refuse(Refusal(status: 507, sentence: failure.description))
    }
    return refusal
  }

  /// Takes the file away again.
  func discard() {
    let isFirst = isDiscarded.withLock { isDiscarded in
      defer { isDiscarded = true }
      return !isDiscarded
    }
    guard isFirst else { return }
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
    _ = path.withCString { unlink($0) }
    room.giveBack(size)
  }

  private func refuse(_ refusal: Refusal) {
    self.refusal = refusal
    discard()
  }
}
