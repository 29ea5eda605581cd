// LeInternet — the addresses of "Le Internet" when you name none: a server of the example's own on
// this machine, with the bundled photos.

import CSamples
import Synchronization

package final class LeInternet: Sendable {
  /// What you type for it, as a line or as an argument.
  package static let name = "Le Internet"

  /// The one "Le Internet" of the program.
  package static let shared = LeInternet()

  /// The photo that the tutorial downloads first. It is not here: one download fails.
  package static let missing = "overly-attached-girlfriend.jpg"

  private let server = Mutex<PhotoServer?>(nil)

  private init() {}

  /// The addresses. The first call starts the server. Call it in the background.
  package func addresses() throws(PhotoFailure) -> [String] {
    let port = try server.withLock { server throws(PhotoFailure) in
      if server == nil { server = try PhotoServer(photos: Self.photos) }
      return server!.port
    }
    var names = Self.photos.map(\.name)
    names.insert(Self.missing, at: 1)
    return names.map { "http://127.0.0.1:\(port)/\($0)" }
  }

  private static var photos: [PhotoServer.Photo] {
    var photos: [PhotoServer.Photo] = []
    while let photo = csamples_photo_at(photos.count)?.pointee {
      photos.append(
        PhotoServer.Photo(
          name: String(cString: photo.name),
          bytes: UnsafeRawBufferPointer(start: photo.bytes, count: photo.size),
          // Each is a little farther away than the one before.
          delay: .milliseconds(300 + 150 * photos.count)))
    }
    return photos
  }
}
