// AlphaThread — the second thread: it computes when it is asked, and sleeps in its loop
// until then.

import Signalbox

/// What the second thread did in all.
struct AlphaThreadReport: Equatable, Sendable {
  /// How often it ran its loop.
  var turns = 0
  /// How many rounds it computed.
  var computed = 0
}

struct AlphaThread: Sendable {
  static let name = "alphas"

  let grid: Grid
  let journal: Journal
  /// How long a turn of its loop may last.
  let turn: TimeInterval
  /// Told of the thread's source once that is in the thread's loop.
  let register: @Sendable (ScheduledSource) -> Void
  /// Takes the alphas.
  let deliver: @Sendable (Alphas) -> Void

  /// Starts it.
  func start() -> JoinableThread<AlphaThreadReport, Never> {
    let thread = JoinableThread { run() }
    thread.thread.name = Self.name
    thread.start()
    return thread
  }

  private func run() -> AlphaThreadReport {
    let computed = Tally()
    let source = CommandSource(
      Self.name, journal: journal, schedule: register, cancel: {},
      perform: { commands in
        for case .compute(let round) in commands {
          deliver(Alphas.compute(round: round, grid: grid))
          computed.value += 1
        }
      })
    source.addToCurrentRunLoop()
    var turns = 0
    while true {
      turns += 1
      let result = CFRunLoopRunInMode(.defaultMode, turn, true)
      // Stopped, or without its source: nobody will ask any more.
      if result == .stopped || result == .finished { break }
    }
    return AlphaThreadReport(turns: turns, computed: computed.value)
  }

  /// A number of the thread's own.
  private final class Tally: @unchecked Sendable {
    // SAFETY: touched on the second thread only.
    var value = 0
  }
}
