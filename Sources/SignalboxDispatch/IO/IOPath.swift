// IOPath — a file to be opened when it is first used.

import CSignalbox

struct IOPath: Sendable {
  let name: String
  let flags: Int32
  let mode: UInt32

  /// 0, or why it could not be opened as things stand.
  func look(needsPlace: Bool) -> Int32 { csb_io_look_at_path(name, flags, needsPlace ? 1 : 0) }

  /// The descriptor and what is to be known of it, or an errno.
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
