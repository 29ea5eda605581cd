// CText — room for a text that a C function writes.

struct CText {
  private var bytes = [CChar](repeating: 0, count: 400)

  /// Calls `body` with the room and its size.
  mutating func fill<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> R {
    bytes.withUnsafeMutableBufferPointer { body($0.baseAddress!, $0.count) }
  }

  var text: String {
    bytes.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }
}

/// What a C function makes; where it makes nothing, what it says, after `subject`.
func made(
  _ subject: String = "", _ make: (UnsafeMutablePointer<CChar>, Int) -> OpaquePointer?
) throws(PhotoFailure) -> OpaquePointer {
  var reason = CText()
  guard let made = reason.fill({ make($0, $1) }) else {
    throw .faceSearch(subject + reason.text)
  }
  return made
}
