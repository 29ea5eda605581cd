/// What the command line asks for.
struct Options {
  static let usage = """
    usage: bench [--rounds N] [--only REGEX] [--counts] [--without-probes FILE]
                 [--without-counts FILE] [--drop-in] [--peers] [--scale] [--quick] [--documents]
                 [--goals]

      --rounds N     rounds of each subject on each side (20; 0 measures no times)
      --only REGEX   only subjects whose name matches, such as 'async|sync'
      --counts       also count instructions and allocations (with valgrind) and
                     system calls (with perf or strace)
      --without-probes FILE
                     also compare the instructions of a serial `async` with those of
                     this bench-signalbox, built without probes: see Scripts/probe-cost
      --without-counts FILE
                     the same of a build without counters, and the time of a `sync`
      --drop-in      the toolchain's program on our libdispatch.so beside the same program
                     on the toolchain's; only times
      --peers        ours beside the runtimes of Go, Rust and C++, which Scripts/build-peers
                     builds; --counts counts instructions and system calls, with perf
      --scale        both sides with one processor, two, four, up to all; only prints
      --quick        every subject once and tiny, to see that all work; keeps nothing
      --documents    put the tables into Documentation/Speed.md, and twelve of the
                     rows into README.md; of a machine that has a section in
                     Documentation/SpeedElsewhere.md, there; with --peers, into
                     Documentation/Peers.md
      --goals        exit with 2 if a required goal is not met

    Results are kept in Benchmarks/Results, a file a kind of machine. Subjects that
    are not measured keep their older numbers there.
    """

  var rounds = 20
  var only: Regex<AnyRegexOutput>?
  var counts = false
  var withoutProbes: String?
  var withoutCounts: String?
  var dropIn = false
  var peers = false
  var scale = false
  var quick = false
  var documents = false
  var goals = false

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func value(of option: String) throws -> String {
      guard let value = arguments.popFirst() else {
        throw Mistake(description: "\(option) needs a value")
      }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--rounds":
        guard let rounds = Int(try value(of: argument)), rounds >= 0 else {
          throw Mistake(description: "--rounds needs a number")
        }
        self.rounds = rounds
      case "--only":
        let pattern = try value(of: argument)
        do {
          only = try Regex(pattern)
        } catch {
          throw Mistake(description: "--only \(pattern): \(error)")
        }
      case "--counts": counts = true
      case "--without-probes": withoutProbes = try value(of: argument)
      case "--without-counts": withoutCounts = try value(of: argument)
      case "--drop-in": dropIn = true
      case "--peers": peers = true
      case "--scale": scale = true
      case "--quick": quick = true
      case "--documents": documents = true
      case "--goals": goals = true
      default: throw Mistake(description: "unknown option \(argument)")
      }
    }
    let comparesBuilds = withoutProbes != nil || withoutCounts != nil
    if dropIn && (counts || comparesBuilds) {
      throw Mistake(description: "--drop-in measures only times")
    }
    if peers && (dropIn || comparesBuilds) {
      throw Mistake(description: "--peers measures nothing else")
    }
    if scale && (peers || dropIn || counts || comparesBuilds || documents || goals) {
      throw Mistake(description: "--scale only prints times")
    }
  }

  func wants(_ subject: String) -> Bool {
    only.map { subject.firstMatch(of: $0) != nil } ?? true
  }
}
