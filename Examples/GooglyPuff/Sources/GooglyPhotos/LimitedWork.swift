// LimitedWork — work in the background, so many pieces at a time.
//
// Pieces that wait are closures in a list and hold no thread.
//
// Touching  `running`, `waiting`: in items of `state` only.

import SignalboxDispatch

// SAFETY: what varies is confined to the serial queue `state`.
package final class LimitedWork: @unchecked Sendable {
  package typealias Piece = @Sendable () -> Void

  private let limit: Int
  private let state: DispatchQueue
  private let workers = DispatchQueue.global(qos: .userInitiated)

  private var running = 0
  /// Backwards, so that the next piece is cheap to take.
  private var waiting: [Piece] = []
  private var arrived: [Piece] = []

  package init(limit: Int, label: String) {
    precondition(limit > 0, "work with a limit of \(limit) never starts")
    self.limit = limit
    state = DispatchQueue(label: label)
  }

  /// Runs `piece` on a background queue when its turn has come, in the order of
  /// the calls.
  package func async(_ piece: @escaping Piece) {
    state.async {
      self.arrived.append(piece)
      self.startMore()
    }
  }

  private func startMore() {
    while running < limit, let piece = next() {
      running += 1
      workers.async {
        piece()
        self.state.async {
          self.running -= 1
          self.startMore()
        }
      }
    }
  }

  private func next() -> Piece? {
    if waiting.isEmpty {
      waiting = arrived.reversed()
      arrived = []
    }
    return waiting.popLast()
  }
}
