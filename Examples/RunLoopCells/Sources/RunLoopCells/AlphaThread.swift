// AlphaThread — the second thread: it computes when it is asked, and sleeps in its loop
// until then.

import Signalbox

/// What the second threads of one or several runs did.
struct AlphaThreadReport: Equatable, Sendable {
  /// How often it ran its loop.
  var turns = 0
  /// How many rounds it computed.
  var computed = 0
  /// The threads that computed, as `currentThreadWords` names them.
  var threads: Set<String> = []
}

extension AlphaThreadReport {
  static func + (one: Self, other: Self) -> Self {
    Self(
      turns: one.turns + other.turns, computed: one.computed + other.computed,
      threads: one.threads.union(other.threads))
  }
}

/// The calling thread, as the program names it at its end.
func currentThreadWords() -> String {
  Thread.isMainThread ? "the main thread" : "the thread “\(Thread.current.name ?? "")”"
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
  /// The last that the thread does.
  let ended: @Sendable () -> Void

  /// Starts it.
  func start() -> JoinableThread<AlphaThreadReport, Never> {
    let thread = JoinableThread { run() }
    thread.thread.name = Self.name
    thread.start()
    return thread
  }

  private func run() -> AlphaThreadReport {
    let tally = Tally()
    let source = CommandSource(
      Self.name, journal: journal, schedule: register, cancel: {},
      perform: { commands in
        precondition(Thread.current.name == Self.name, "alphas belong to their own thread")
        for case .compute(let round) in commands {
          deliver(Alphas.compute(round: round, grid: grid))
          tally.report.computed += 1
          tally.report.threads.insert(currentThreadWords())
        }
      })
    source.addToCurrentRunLoop()
    while true {
      tally.report.turns += 1
      let result = CFRunLoopRunInMode(.defaultMode, turn, true)
      // Stopped, or without its source: nobody will ask any more.
      if result == .stopped || result == .finished { break }
    }
    ended()
    return tally.report
  }

  /// What the thread counts.
  private final class Tally: @unchecked Sendable {
    // SAFETY: touched on the second thread only.
    var report = AlphaThreadReport()
  }
}
