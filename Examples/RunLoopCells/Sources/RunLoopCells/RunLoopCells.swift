// RunLoopCells — the command: the run-loop sample of Apple's threading guide, as a program.

import Glibc
import Signalbox

@main struct RunLoopCells {
  static func main() {
    switch Options.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help: print(Options.usage, terminator: "")
    case .mistake(let reason):
      complain("\(reason); try --help")
      exit(2)
    case .run(let options): exit(run(options))
    }
  }

  private static func run(_ options: Options) -> Int32 {
    var options = options
    let screen = Screen(rounds: options.rounds.map { $0 * options.runs })
    // A line above the cells, one below, and the one that the cursor is on.
    if screen.isColoured, let size = Screen.size() {
      options.grid = Drawing.grid(
        columns: size.columns, lines: size.lines - 3, atMost: options.grid)
    }
    let page = CellsPage(folder: options.folder, pause: options.pause)
    let controller = CellsController(options, screen: screen, page: page)
    let keyboard = Keyboard { [buttons = controller.buttons] in buttons?.send(.press($0)) }
    let report = controller.runToTheEnd()
    keyboard.end()
    screen.end(
      "\(report.computed) rounds computed in \(report.turns) turns of the second thread's loop; "
        + "computed on \(list(report.threads)), drawn on \(list(screen.threads)); "
        + "call-backs: \(controller.journal.all.joined(separator: ", "))")
    guard let failure = page.failure else { return 0 }
    complain(failure)
    return 1
  }

  private static func list(_ threads: Set<String>) -> String {
    threads.sorted().joined(separator: " and ")
  }

  private static func complain(_ text: String) {
    let line = Array("RunLoopCells: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
