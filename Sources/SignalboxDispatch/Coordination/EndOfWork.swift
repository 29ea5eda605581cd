// EndOfWork — what has an end that somebody without a thread can be told of.

/// What ends, once or again and again, and has notices called when it does.
package protocol EndOfWork: AnyObject {
  /// Has `notice` called at the end: from any thread. Its memory stays with the caller until
  /// it is called or `withdraw` took it back.
  ///
  /// - Returns: whether it will be; not if the end has come already.
  func add(_ notice: GroupNotice.Pointer) -> Bool

  /// Takes a notice back: from any thread.
  ///
  /// - Returns: whether it had not been taken out to be called.
  func withdraw(_ notice: GroupNotice.Pointer) -> Bool

  /// How many notices wait for the end.
  var noticeCount: Int { get }
}

extension DispatchGroup: EndOfWork {
  package final func add(_ notice: GroupNotice.Pointer) -> Bool { core.add(notice) }

  package final func withdraw(_ notice: GroupNotice.Pointer) -> Bool { core.withdraw(notice) }

  package final var noticeCount: Int { core.noticeCount }
}
