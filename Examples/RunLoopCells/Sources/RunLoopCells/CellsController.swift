// CellsController — the main thread's part: it starts and stops runs, and redraws.
//
// A press changes only what is wanted. `follow` then starts or stops a run if it can, and is
// called again when a run has ended, so that a press at any time has its effect.
//
// Touching    everything: the main thread only.

import Signalbox

final class CellsController: @unchecked Sendable {  // SAFETY: see Touching.
  private let options: Options
  private let screen: Screen
  private let page: CellsPage
  let journal = Journal()

  /// What a person presses arrives here, from any thread.
  private(set) var buttons: ScheduledSource?
  private var run: CellsRun?
  private var shouldRun = true
  private var shouldEnd = false
  private var runsLeft: Int
  private var report = AlphaThreadReport()
  private var shown: Alphas?
  private var history: [Alphas] = []

  init(_ options: Options, screen: Screen, page: CellsPage) {
    self.options = options
    self.screen = screen
    self.page = page
    runsLeft = options.runs
    let source = CommandSource(
      "buttons", journal: journal,
      schedule: { [unowned self] in buttons = $0 },
      cancel: { [unowned self] in buttons = nil },
      perform: { [unowned self] commands in
        for case .press(let button) in commands { press(button) }
      })
    source.addToCurrentRunLoop()
  }

  /// Starts the first run and runs the main loop until the end is wanted and the last run is
  /// over.
  ///
  /// - Returns: what the second threads of all runs did.
  func runToTheEnd() -> AlphaThreadReport {
    follow()
    CFRunLoopRun()
    return report
  }

  // MARK: Start and Stop

  private func press(_ button: Button) {
    switch button {
    case .startOrStop: shouldRun.toggle()
    case .end: shouldEnd = true
    }
    follow()
  }

  private func follow() {
    if let run {
      if shouldEnd || !shouldRun { run.stop() }
    } else if shouldEnd {
      page.write(history, isLast: true)
      buttons?.cancel()
      CFRunLoopStop(CFRunLoopGetMain())
    } else if shouldRun {
      start()
    } else if let shown {
      screen.draw(shown, isRunning: false)
    }
  }

  private func start() {
    let next = CellsRun(
      options, after: history.last?.round ?? 0, journal: journal,
      show: { [unowned self] in show($0) }, ended: { [unowned self] in ended($0) })
    run = next
    next.start()
  }

  /// A run that a person stopped waits for Start, which may have been pressed already; one that had
  /// all its rounds is followed by the next, if there is one.
  private func ended(_ last: AlphaThreadReport) {
    report = report + last
    let hadAllRounds = run?.hadAllRounds ?? false
    run = nil
    if hadAllRounds {
      runsLeft -= 1
      if runsLeft == 0 { shouldEnd = true }
    }
    follow()
  }

  // MARK: Redrawing

  private func show(_ alphas: Alphas) {
    history.append(alphas)
    if history.count > CellsPage.mostRounds { history.removeFirst() }
    draw(alphas)
    page.write(history, isLast: false)
  }

  /// At once, or on a terminal in some steps.
  private func draw(_ alphas: Alphas) {
    let old = shown ?? alphas
    shown = alphas
    guard screen.isColoured, options.fade > 0 else {
      return screen.draw(alphas, isRunning: true)
    }
    let frames = Int((options.fade * 25).rounded(.up))
    for frame in 1...frames {
      let step = Double(frame) / Double(frames)
      onMain(after: options.fade * step) { [self] in
        if shown == alphas { screen.draw(old.faded(to: alphas, by: step), isRunning: run != nil) }
      }
    }
  }
}

/// Has the main loop call something in its next pass, or by a timer after so many seconds.
/// From any thread.
func onMain(after seconds: TimeInterval = 0, _ body: @escaping @Sendable () -> Void) {
  guard seconds > 0 else { return RunLoop.main.perform(body) }
  let timer = Timer(timeInterval: seconds, repeats: false) { _ in body() }
  RunLoop.main.add(timer, forMode: .default)
}
