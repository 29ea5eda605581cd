// ItemContext — the `info` pointer of an item in the C interface, with its retain and release
// callbacks.
//
// A caller holds a reference to the context while it runs a callback. The context therefore
// releases `info` only when the item no longer needs it and no callback uses it.
//
// Invariants  I1  one `release` for each `retain`, on the thread that drops the last reference.

final class ItemContext: @unchecked Sendable {
  // SAFETY: a pointer from the program, which only the program's callbacks dereference. The
  // program decides whether they may do so on several threads.
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
    // As in Core Foundation, the item keeps the pointer that `retain` returns.
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
