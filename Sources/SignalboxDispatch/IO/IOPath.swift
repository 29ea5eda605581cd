// IOPath — a file that is opened at first use.

import CSignalbox

struct IOPath: Sendable {
  let name: String
  let flags: Int32
  let mode: UInt32

  /// Whether the file can be opened now: 0, or an errno.
  func look(needsPlace: Bool) -> Int32 { csb_io_look_at_path(name, flags, needsPlace ? 1 : 0) }

  /// Opens the file.
  ///
  /// - Returns: its descriptor and the facts about it, or an errno.
  func open() -> Result<(number: Int32, facts: csb_io_facts), IOError> {
    let number = csb_io_open(name, flags, mode)
    if number < 0 { return .failure(IOError(-number)) }
    var facts = csb_io_facts()
    let error = csb_io_look(number, &facts)
    guard error != 0 else { return .success((number, facts)) }
    csb_io_close(number)
    return .failure(IOError(error))
  }
}
