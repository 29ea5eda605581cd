// Flag — something that has happened or has not, asked by those who go on computing meanwhile.

import Synchronization

final class Flag: Sendable {
  private let word = Atomic(false)

  // order: releasing; who sees it set sees what was done before.
  func set() { word.store(true, ordering: .releasing) }

  // order: acquiring; the other end of `set`.
  var isSet: Bool { word.load(ordering: .acquiring) }
}
