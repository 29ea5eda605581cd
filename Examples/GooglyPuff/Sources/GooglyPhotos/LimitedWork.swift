// LimitedWork — work in the background, so many pieces at a time.
//
// A piece that waits for its turn is an item of a queue of its own that is not active yet. It
// holds no thread, and who looks at a recording sees how long it waited.
//
// Touching  everything that varies: in items of `state` only.

package import SignalboxDispatch

// SAFETY: what varies is confined to the serial queue `state`.
package final class LimitedWork: @unchecked Sendable {
  package typealias Piece = @Sendable () -> Void

  private let limit: Int
  private let label: String
  private let state: DispatchQueue
  private let workers: DispatchQueue

  private var running = 0
  /// Backwards, so that the next one is cheap to take.
  private var waiting: [DispatchQueue] = []
  private var arrived: [DispatchQueue] = []
  /// Somebody looks at these; oldest first.
  private var urgent: [DispatchQueue] = []

  package init(
    limit: Int, label: String, workers: DispatchQueue = .global(qos: .userInitiated)
  ) {
    precondition(limit > 0, "work with a limit of \(limit) never starts")
    self.workers = workers
    self.limit = limit
    self.label = label
    state = DispatchQueue(label: label)
  }

  /// Runs `piece` on `workers` when its turn has come, in the order of
  /// the calls; urgent ones before the others. What it is about stands in its queue's label.
  package func async(
    on subject: String = "piece", isUrgent: Bool = false, _ piece: @escaping Piece
  ) {
    let queue = DispatchQueue(
      label: "\(label).\(subject)", attributes: .initiallyInactive, target: workers)
    queue.async {
      piece()
      self.state.async {
        self.running -= 1
        self.startMore()
      }
    }
    state.async {
      if isUrgent { self.urgent.append(queue) } else { self.arrived.append(queue) }
      self.startMore()
    }
  }

  private func startMore() {
    while running < limit, let queue = next() {
      running += 1
      queue.activate()
    }
  }

  private func next() -> DispatchQueue? {
    if !urgent.isEmpty { return urgent.removeFirst() }
    if waiting.isEmpty {
      waiting = arrived.reversed()
      arrived = []
    }
    return waiting.popLast()
  }
}
