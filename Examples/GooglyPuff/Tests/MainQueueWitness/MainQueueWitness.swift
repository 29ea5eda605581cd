// MainQueueWitness — runs the example over the photos of its command line and asks
// the main queue, over and over, for an answer. Prints how many answers came and
// the longest time the main thread computed between two of them.
//
// Computing time rather than elapsed time: another program on the same core makes
// the second longer, never the first.

import Glibc
import GooglyPhotos
import SignalboxDispatch

@main
enum MainQueueWitness {
  static func main() {
    let arguments = CommandLine.arguments
    var options = Options()
    options.folder = FilePath(arguments[1])
    options.inputs = arguments[2...].map { FilePath($0) }
    let pulse = Pulse()
    let collection = PhotoCollection(options: options, display: ProgressDisplay()) { status in
      print("answers \(pulse.answers) longest \(pulse.longest)")
      exit(status)
    }
    DispatchQueue.main.async {
      collection.viewDidLoad()
      pulse.ask()
    }
    dispatchMain()
  }
}

/// Touching  `ask` from any thread; everything else on the main queue.
// SAFETY: see Touching above.
private final class Pulse: @unchecked Sendable {
  private(set) var answers = 0
  /// In microseconds.
  private(set) var longest = 0
  private var last: Int?
  private let asker = DispatchQueue(label: "GooglyPuff.witness", qos: .utility)

  func ask() {
    asker.async { DispatchQueue.main.async { self.answer() } }
  }

  private func answer() {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    let now = time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    if let last { longest = max(longest, now - last) }
    last = now
    answers += 1
    // A pause between questions leaves the cores to the work.
    asker.asyncAfter(deadline: .now() + .milliseconds(1)) {
      DispatchQueue.main.async { self.answer() }
    }
  }
}
