// Journal — which call-backs ran, in which order.
//
// Touching    any thread, under the lock.

import Signalbox

final class Journal: @unchecked Sendable {
  // SAFETY: `notes` is touched with the lock held only.
  private let lock = NSLock()
  private var notes: [String] = []

  func note(_ text: String) { lock.withLock { notes.append(text) } }

  var all: [String] { lock.withLock { notes } }
}
