// IOPath — a file that is opened at first use.

import CSignalbox

struct IOPath: Sendable {
  /// The path as a C string. It may not be UTF-8.
  private let bytes: [CChar]
  private let flags: Int32
  private let mode: UInt32

  init(_ path: UnsafePointer<CChar>, flags: Int32, mode: UInt32) {
    var count = 1
    while path[count - 1] != 0 { count += 1 }
    bytes = Array(UnsafeBufferPointer(start: path, count: count))
    self.flags = flags
    self.mode = mode
  }

  /// The path for messages.
  var name: String { bytes.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } }

  /// Whether the file can be opened now: 0, or an errno.
  func look(needsOffset: Bool) -> Int32 { csb_io_look_at_path(bytes, flags, needsOffset ? 1 : 0) }

  /// Opens the file.
  ///
  /// - Returns: its descriptor and the facts about it, or an errno.
  func open() -> Result<(number: Int32, facts: csb_io_facts), IOError> {
    let number = csb_io_open(bytes, flags, mode)
    if number < 0 { return .failure(IOError(-number)) }
    var facts = csb_io_facts()
    let error = csb_io_look(number, &facts)
    guard error != 0 else { return .success((number, facts)) }
    csb_io_close(number)
    return .failure(IOError(error))
  }
}
