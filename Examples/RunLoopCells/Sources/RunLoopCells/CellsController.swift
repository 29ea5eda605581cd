// CellsController — the main thread's part: it asks, redraws, and asks again a while later.
//
// Touching    everything: the main thread only.

import Signalbox

final class CellsController: @unchecked Sendable {  // SAFETY: see Touching.
  private let options: Options
  private let screen: Screen
  private let page: CellsPage
  let journal = Journal()

  private var own: ScheduledSource?
  private var second: ScheduledSource?
  private var thread: JoinableThread<AlphaThreadReport, Never>?
  private var shown: Alphas?
  private var history: [Alphas] = []
  private var rounds = 0
  private var mustStop = false
  private var isStopped = false

  init(_ options: Options, screen: Screen, page: CellsPage) {
    self.options = options
    self.screen = screen
    self.page = page
  }

  /// Adds the main thread's source to its loop, starts the second thread, and runs the loop
  /// until it is stopped and the thread has ended.
  func run() -> AlphaThreadReport {
    let source = CommandSource(
      "main", journal: journal,
      schedule: { [unowned self] in own = $0 },
      cancel: { [unowned self] in own = nil },
      perform: { [unowned self] in perform($0) })
    source.addToCurrentRunLoop()
    let alphas = AlphaThread(
      grid: options.grid, journal: journal, turn: options.turn,
      // From the second thread, which does not wait: the main thread may be waiting for it.
      register: { second in onMain { [self] in register(second) } },
      deliver: { [own] alphas in own?.send(.show(alphas)) })
    let thread = alphas.start()
    CFRunLoopRun()
    return thread.join()
  }

  // MARK: The exchange

  private func register(_ source: ScheduledSource) {
    second = source
    if mustStop { stop() } else { ask() }
  }

  private func ask() {
    if isStopped { return }
    second?.send(.compute(round: rounds + 1))
  }

  private func perform(_ commands: [Command]) {
    for case .show(let alphas) in commands where !isStopped {
      rounds = alphas.round
      history.append(alphas)
      if history.count > CellsPage.mostRounds { history.removeFirst() }
      let isLast = options.rounds == rounds
      show(alphas)
      page.write(history, isLast: isLast)
      // The next command comes a pause after this one was answered.
      onMain(after: options.pause) { [self] in isLast ? stop() : ask() }
    }
  }

  // MARK: Redrawing

  /// At once, or on a terminal in some steps.
  private func show(_ alphas: Alphas) {
    let old = shown ?? alphas
    shown = alphas
    guard screen.isColoured, options.fade > 0 else { return screen.draw(alphas) }
    let frames = Int((options.fade * 25).rounded(.up))
    for frame in 1...frames {
      let step = Double(frame) / Double(frames)
      onMain(after: options.fade * step) { [self] in
        if shown == alphas { screen.draw(old.faded(to: alphas, by: step)) }
      }
    }
  }

  // MARK: Stop

  /// The Stop button: takes both sources out of their loops, whose cancel call-backs run, and
  /// ends both loops.
  func stop() {
    guard let second else {
      // It is on its way: when it is there, it goes.
      mustStop = true
      return
    }
    if isStopped { return }
    isStopped = true
    page.write(history, isLast: true)
    second.cancel()
    let own = own
    own?.cancel()
  }
}

/// Has the main loop call something in its next pass, or by a timer after so many seconds.
/// From any thread.
func onMain(after seconds: TimeInterval = 0, _ body: @escaping @Sendable () -> Void) {
  guard seconds > 0 else { return RunLoop.main.perform(body) }
  let timer = Timer(timeInterval: seconds, repeats: false) { _ in body() }
  RunLoop.main.add(timer, forMode: .default)
}
