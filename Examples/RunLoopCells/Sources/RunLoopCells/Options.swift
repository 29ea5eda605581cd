// Options — what the command line asks for.

struct Options: Sendable {
  /// After how many rounds a run stops by itself.
  var rounds: Int?
  /// How many runs the program starts by itself, one after the other.
  var runs = 1
  /// Seconds between a redrawing and the next question.
  var pause = 1.0
  /// Seconds that a redrawing takes on a terminal.
  var fade: Double { min(0.5, pause * 0.6) }
  /// Seconds that the second thread's loop runs at a time.
  var turn = 5.0
  var folder = "out"
  var grid = Grid(columns: 14, rows: 8)

  enum Request {
    case run(Options)
    case help
    /// The command line makes no sense, for this reason.
    case mistake(String)
  }

  static let usage = """
    RunLoopCells has two run loops exchange commands: the main thread asks, the second one computes
    an alpha for each cell, the main thread redraws and asks again a second later.

    usage: RunLoopCells [options]

      --rounds N         stop after so many rounds, not only when a key is pressed
      --runs N           start again after a stop, until there were so many runs (1)
      --pause SECONDS    between two rounds (1)
      --turn SECONDS     for how long the second thread runs its loop at a time (5)
      --out FOLDER       where the page index.html goes (out)
      --help             this text

    """

  static func parse(_ arguments: [String]) -> Request {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return .help }
      guard ["--rounds", "--runs", "--pause", "--turn", "--out"].contains(argument) else {
        return .mistake("unknown argument \(argument)")
      }
      guard let value = rest.popFirst(), !value.isEmpty else {
        return .mistake("\(argument) needs a value")
      }
      switch argument {
      case "--out": options.folder = value
      case "--rounds", "--runs":
        guard let number = Int(value), number > 0 else {
          return .mistake("\(argument) needs a number from 1 on")
        }
        if argument == "--rounds" { options.rounds = number } else { options.runs = number }
      default:
        // More than an hour is no pause any more.
        guard let number = Double(value), number > 0, number <= 3_600 else {
          return .mistake("\(argument) needs a number of seconds, above 0 and up to 3600")
        }
        if argument == "--pause" { options.pause = number } else { options.turn = number }
      }
    }
    if options.runs > 1, options.rounds == nil { return .mistake("--runs needs --rounds") }
    return .run(options)
  }
}
