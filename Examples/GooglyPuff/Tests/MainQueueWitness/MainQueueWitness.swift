// MainQueueWitness — runs the example over the photos of its command line and measures how soon its
// main queue answers: the elapsed time from a question to its answer, at the 99th percentile.
//
//   MainQueueWitness FOLDER [--work-on main] photo...
//
// The machine itself keeps an answer waiting when it has other work. How long, a control says: this
// program a second time, whose main thread has nothing to do. It is measured at the same time and
// in the same way, so that it competes with the same work. The last line is
//
//   answers N p99 MICROSECONDS control N p99 MICROSECONDS

import Glibc
import GooglyPhotos
import SignalboxDispatch

@main
enum MainQueueWitness {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--control"] { runControl() }
    guard
      case .run(let options) = Options.parse(
        (["--out"] + arguments).map { FilePath($0) })
    else { fatalError("MainQueueWitness FOLDER [option | photo]...") }
    let control = Control()
    control.start()
    let pulse = Pulse()
    let collection = PhotoCollection(options: options, display: ProgressDisplay()) { status in
      print("\(pulse.summary) control\(control.end())")
      exit(status)
    }
    DispatchQueue.main.async {
      pulse.start()
      collection.viewDidLoad()
    }
    dispatchMain()
  }

  /// Answers until its standard input ends, and then tells how soon it did.
  private static func runControl() -> Never {
    let pulse = Pulse()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    source.setEventHandler {
      print(pulse.summary)
      exit(0)
    }
    source.activate()
    pulse.start()
    // The work begins when it is ready.
    _ = write(STDOUT_FILENO, "ready\n", 6)
    dispatchMain()
  }
}

/// Asks the main queue at a fixed rate, also while earlier questions wait for their answers.
///
/// Touching  `waits`: main queue only.
// SAFETY: see Touching above.
private final class Pulse: @unchecked Sendable {
  private var waits: [Int] = []
  private let timer = DispatchSource.makeTimerSource(
    queue: DispatchQueue(label: "GooglyPuff.witness", qos: .userInteractive))

  func start() {
    timer.setEventHandler {
      let asked = Self.now()
      DispatchQueue.main.async { self.waits.append(Self.now() - asked) }
    }
    timer.schedule(deadline: .now(), repeating: .milliseconds(4))
    timer.activate()
  }

  /// The 99th percentile by its nearest rank.
  var summary: String {
    dispatchPrecondition(condition: .onQueue(.main))
    let sorted = waits.sorted()
    let p99 = sorted.isEmpty ? 0 : sorted[(sorted.count * 99 + 99) / 100 - 1]
    return "answers \(sorted.count) p99 \(p99)"
  }

  /// In microseconds.
  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
  }
}

/// This program once more, with an idle main thread.
private final class Control: @unchecked Sendable {
  // SAFETY: set by `start`, used by `end`, both on the first thread before and after all else.
  private var input: Int32 = -1
  private var output: UnsafeMutablePointer<FILE>!
  private var process = pid_t()

  /// Returns when it measures.
  func start() {
    var (toControl, fromControl): ([Int32], [Int32]) = ([0, 0], [0, 0])
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &toControl) == 0,
      socketpair(AF_UNIX, type, 0, &fromControl) == 0
    else { fatalError("no sockets: \(errno)") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toControl[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromControl[1], 1)
    var words: [UnsafeMutablePointer<CChar>?] = [
      strdup("MainQueueWitness"), strdup("--control"), nil,
    ]
    guard posix_spawn(&process, "/proc/self/exe", &actions, nil, &words, environ) == 0 else {
      fatalError("no control: \(errno)")
    }
    for word in words { free(word) }
    posix_spawn_file_actions_destroy(&actions)
    close(toControl[0])
    close(fromControl[1])
    input = toControl[1]
    output = fdopen(fromControl[0], "r")
    _ = line()
  }

  /// Ends it; what it says, without its first word.
  func end() -> String {
    close(input)
    let said = line()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return String(said.drop { $0 != " " })
  }

  private func line() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard fgets(&buffer, Int32(buffer.count), output) != nil else { return "" }
    return String(
      decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
