// ItemContext — the `info` of an item of the C interface, with what keeps and frees it.
//
// Who calls a call-back holds a reference meanwhile, so an `info` is released when its
// item needs it no more and no call-back has it.
//
// Invariants  I1  one `release` for the one `retain`, on the thread that lets go last.

final class ItemContext: @unchecked Sendable {
  // SAFETY: the program's own pointer, which its call-backs follow. Whether they may do so
  // on several threads the program knows.
  let info: UnsafeMutableRawPointer?
  let retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)?
  let release: ((UnsafeRawPointer?) -> Void)?
  let copyDescription: ((UnsafeRawPointer?) -> CFString?)?

  init(
    _ info: UnsafeMutableRawPointer?,
    retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)?,
    release: ((UnsafeRawPointer?) -> Void)?,
    copyDescription: ((UnsafeRawPointer?) -> CFString?)?
  ) {
    self.retain = retain
    // As in Core Foundation, what `retain` returns is the item's own.
    if let retain {
      self.info = UnsafeMutableRawPointer(mutating: retain(info))
    } else {
      self.info = info
    }
    self.release = release
    self.copyDescription = copyDescription
  }

  deinit { release?(info) }

  var words: String {
    if let text = copyDescription?(info) { return text }
    return info.map { "\($0)" } ?? "nothing"
  }
}
