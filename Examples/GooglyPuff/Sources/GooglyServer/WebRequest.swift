// WebRequest — one request, from its first line to the end of its answer.
//
// States    begun → receiving → waiting → answered; a refusal goes from `begun` to `answered`.
// Touching  items of the server's queue only.

import CServer
import GooglyPhotos

// SAFETY: confined to the server's queue, see Touching above.
final class WebRequest: @unchecked Sendable {
  enum Phase {
    /// Only its target is known.
    case begun
    /// Its head is known, and its body comes.
    case receiving
    /// All has come, and somebody works on the answer.
    case waiting
    case answered
  }

  let connection: OpaquePointer
  /// The target as it was sent.
  let rawTarget: [UInt8]
  fileprivate(set) var method = ""
  fileprivate(set) var headers: [(name: String, value: String)] = []
  var target: RequestTarget?
  var phase = Phase.begun
  var response: WebResponse?
  var isSuspended = false
  /// Nobody waits for the answer any more.
  var isOver = false
  /// Where the body goes, if there may be one.
  var upload: UploadFile?
  /// Bytes of the body that came.
  var received = 0

  init(connection: OpaquePointer, rawTarget: [UInt8]) {
    self.connection = connection
    self.rawTarget = rawTarget
  }

  /// The value of the first header of that name, in lower case.
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  func readHead(method: String) {
    self.method = method
    // SAFETY: the call below ends before `self` does; nobody keeps the pointer.
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = MHD_get_connection_values(
      connection, .HEADER_KIND,
      { context, _, name, value in
        // SAFETY: the request of the call above.
        let request = Unmanaged<WebRequest>.fromOpaque(context!).takeUnretainedValue()
        request.headers.append(
          (
            name.map { String(cString: $0).lowercased() } ?? "",
            value.map { String(cString: $0) } ?? ""
          ))
        return .YES
      }, context)
  }
}
