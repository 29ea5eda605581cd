// Rendezvous — a meeting point for a fixed number of threads, round after round.

package final class Rendezvous: Sendable {
  private struct State {
    var waiting = 0
    var round = 0
  }
  private let parties: Int
  private let state = Guarded(State())

  package init(parties: Int) { self.parties = parties }

  /// Waits for the other threads; all leave together. Returns the number of the round.
  @discardableResult
  package func meet(file: StaticString = #fileID, line: UInt = #line) throws -> Int {
    let round = state.withValue { state in
      let round = state.round
      state.waiting += 1
      if state.waiting == parties {
        state.waiting = 0
        state.round += 1
      }
      return round
    }
    guard state.wait(limit: RealTime.wedge, until: { $0.round > round }) else {
      throw Wedge.found(
        "\(state.current.waiting) of \(parties) threads met", file: file, line: line)
    }
    return round
  }
}
