// Counts — what the server counts itself.

import CHeap
import SignalboxLocks

final class Counts: Sendable {
  private struct State: Sendable {
    var connections = 0
    var accepted = 0
    /// The requests under way.
    var pending = 0
    /// What must not happen, and did: an answer that was cancelled or came too early, an operation
    /// that ran although it was cancelled, a line that is no request.
    var wrong = 0
    var answered: [Kind: Int] = [:]
  }

  private let state = OSAllocatedUnfairLock(initialState: State())

  func noteOpened() {
    state.withLock {
      $0.connections += 1
      $0.accepted += 1
    }
  }

  func noteClosed() { state.withLock { $0.connections -= 1 } }

  func noteWrong() { state.withLock { $0.wrong += 1 } }

  func noteBegun() { state.withLock { $0.pending += 1 } }

  func noteEnded(_ kind: Kind) {
    state.withLock {
      $0.pending -= 1
      $0.answered[kind, default: 0] += 1
    }
  }

  /// All counts and the bytes of the heap in use, as the answer to `stats`, which counts itself as
  /// pending.
  var text: String {
    let now = state.withLock { $0 }
    let counts = [
      ("connections", now.connections), ("accepted", now.accepted), ("pending", now.pending),
      ("wrong", now.wrong), ("heap", Int(cheap_bytes_in_use())),
    ]
    let answered = Kind.allCases.map { ($0.rawValue, now.answered[$0] ?? 0) }
    return (counts + answered).map { "\($0)=\($1)" }.joined(separator: " ")
  }
}
