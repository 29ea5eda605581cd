// EndOfWork — work whose end can be announced without a waiting thread.

/// Work that ends, once or repeatedly, and then calls notices.
package protocol EndOfWork: AnyObject {
  /// Calls `notice` at the end. Any thread. The notice's memory belongs to the caller until the
  /// notice is called or `withdraw` has removed it.
  ///
  /// - Returns: whether it will be called; false if the work has ended already.
  func add(_ notice: GroupNotice.Pointer) -> Bool

  /// Removes a notice. Any thread.
  ///
  /// - Returns: whether it was still listed, and so will not be called.
  func withdraw(_ notice: GroupNotice.Pointer) -> Bool

  /// How many notices wait for the end.
  var noticeCount: Int { get }
}

extension DispatchGroup: EndOfWork {
  package final func add(_ notice: GroupNotice.Pointer) -> Bool { core.add(notice) }

  package final func withdraw(_ notice: GroupNotice.Pointer) -> Bool { core.withdraw(notice) }

  package final var noticeCount: Int { core.noticeCount }
}
