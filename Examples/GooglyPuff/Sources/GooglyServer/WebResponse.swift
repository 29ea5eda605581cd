// WebResponse — what is answered to a request.

import Glibc
import GooglyPhotos

struct WebResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case file(OpenFile)
    case page(PageFile)
  }

  var status: Int
  var type: String
  var body: Body
  var headers: [String: String] = [:]

  static func json(_ status: Int, _ bytes: [UInt8]) -> WebResponse {
    WebResponse(
      status: status, type: "application/json", body: .bytes(bytes),
      headers: ["Cache-Control": "no-store"])
  }

  static func error(_ status: Int, _ sentence: String) -> WebResponse {
    var text = JSONText()
    text.object { $0.member("error", sentence) }
    return json(status, text.bytes)
  }

  static func empty(_ status: Int) -> WebResponse {
    json(status, status == 204 ? [] : Array("{}".utf8))
  }

  static func refusal(_ refusal: Refusal) -> WebResponse {
    error(refusal.status, refusal.sentence)
  }

  static func notThere() -> WebResponse { error(404, "There is nothing here.") }
}

/// Why something that was asked for is not done.
struct Refusal: Error, Equatable, Sendable {
  let status: Int
  let sentence: String

  static let noPhoto = Refusal(status: 404, sentence: "There is no such photo.")
}

/// A plain file, open for reading until the last answer that sends it is over.
final class OpenFile: Sendable {
  let size: Int
  private let descriptor: Int32

  /// Opens the file at `path`. With `inFolder` it is a name in a folder of ours, where no link
  /// is followed.
  init(_ path: FilePath, inFolder folder: Int32? = nil) throws(PhotoFailure) {
    // A pipe would keep us waiting.
    var flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
    if folder != nil { flags |= O_NOFOLLOW }
    let opened = path.withCString { openat(folder ?? AT_FDCWD, $0, flags) }
    guard opened >= 0 else { throw .system(doing: "open it", code: errno) }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw .notAPlainFile
    }
    size = Int(status.st_size)
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }

  /// A descriptor of the caller's own; -1 where there is none.
  func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
}
