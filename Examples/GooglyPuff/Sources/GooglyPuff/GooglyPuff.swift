// GooglyPuff — the command: reads its arguments and lends the first thread to the
// main queue.

import Glibc
import GooglyPhotos
import GooglyServer
import SignalboxDispatch

@main
enum GooglyPuff {
  static func main() {
    // A limit on file sizes is a full disk like any other: `write` shall say so.
    signal(SIGXFSZ, SIG_IGN)
    let arguments = CommandLine.unsafeArgv
    let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      arguments[index].map { FilePath(cString: $0) }
    }
    switch Options.parse(words) {
    case .help:
      print(Options.usage, terminator: "")
    case .mistake(let reason):
      ProgressDisplay().failure("usage", "\(reason); try --help")
      exit(2)
    case .run(let options) where options.serve != nil:
      serve(options)
    case .run(let options):
      begin(options.timeline)
      let collection = PhotoCollection(options: options, display: ProgressDisplay()) { status in
        exit(status)
      }
      DispatchQueue.main.async { collection.viewDidLoad() }
      dispatchMain()
    }
  }

  private static func serve(_ options: Options) {
    // The page shows what just happened.
    begin(options.timeline ?? RunTimeline(path: FilePath("")))
    Picture.returnMemory()
    do throws(PhotoFailure) {
      let server = try GooglyServer(options: options, display: ProgressDisplay()) { exit($0) }
      DispatchQueue.main.async { server.start() }
    } catch {
      ProgressDisplay().failure("server", error.description)
      exit(1)
    }
    dispatchMain()
  }

  private static func begin(_ timeline: RunTimeline?) {
    do throws(PhotoFailure) {
      try timeline?.begin()
    } catch {
      ProgressDisplay().failure("timeline", error.description)
      exit(1)
    }
  }
}
