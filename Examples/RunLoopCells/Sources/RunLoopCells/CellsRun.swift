// CellsRun — one run from Start to Stop: main asks, the second thread computes, main shows.
//
// States      starting → running → stopping → ended. A run that is stopped while it starts
//             stops when the second thread has registered its source.
// Touching    everything: the main thread only.

import Signalbox

final class CellsRun: @unchecked Sendable {  // SAFETY: see Touching.
  private let options: Options
  private let journal: Journal
  /// Shows the alphas of a round.
  private let show: (Alphas) -> Void
  /// Called on the main thread after the second thread ended.
  private let ended: (AlphaThreadReport) -> Void

  private var own: ScheduledSource?
  private var second: ScheduledSource?
  private var thread: JoinableThread<AlphaThreadReport, Never>?
  private var round: Int
  private let lastRound: Int?
  private var mustStop = false
  private var isStopped = false

  /// Whether it has shown as many rounds as a run may have.
  var hadAllRounds: Bool { round == lastRound }

  /// - Parameter rounds: how many were shown before this run.
  init(
    _ options: Options, after rounds: Int, journal: Journal,
    show: @escaping (Alphas) -> Void, ended: @escaping (AlphaThreadReport) -> Void
  ) {
    self.options = options
    self.journal = journal
    self.show = show
    self.ended = ended
    round = rounds
    lastRound = options.rounds.map { rounds + $0 }
  }

  /// Adds the main thread's source to its loop and starts the second thread.
  func start() {
    let source = CommandSource(
      "main", journal: journal,
      schedule: { [unowned self] in own = $0 },
      cancel: { [unowned self] in own = nil },
      perform: { [unowned self] in perform($0) })
    source.addToCurrentRunLoop()
    let alphas = AlphaThread(
      grid: options.grid, journal: journal, turn: options.turn,
      // The second thread does not wait here: the main thread may be waiting for it.
      register: { second in onMain { [self] in register(second) } },
      deliver: { [own] alphas in own?.send(.show(alphas)) },
      ended: { onMain { [self] in end() } })
    thread = alphas.start()
  }

  /// Removes both sources from their loops, which calls their cancel call-backs, and ends the
  /// second thread's loop.
  func stop() {
    mustStop = true
    guard let second, !isStopped else { return }
    isStopped = true
    second.cancel()
    second.stopLoop()
    let own = own
    own?.cancel()
  }

  private func end() {
    guard let thread else { return }
    self.thread = nil
    ended(thread.join())
  }

  // MARK: The exchange

  private func register(_ source: ScheduledSource) {
    second = source
    if mustStop { stop() } else { ask() }
  }

  private func ask() {
    if isStopped { return }
    second?.send(.compute(round: round + 1))
  }

  private func perform(_ commands: [Command]) {
    for case .show(let alphas) in commands where !isStopped {
      round = alphas.round
      show(alphas)
      let isLast = round == lastRound
      // The main thread asks again, or stops, a pause after this answer.
      onMain(after: options.pause) { [self] in isLast ? stop() : ask() }
    }
  }
}
