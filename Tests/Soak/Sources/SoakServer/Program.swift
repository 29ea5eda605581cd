// Program — a server that `make soak` loads for hours. Afterwards it must be as it was before.
//
//     SoakServer PORT FILE
//
// It listens on the loopback address; with port 0 the kernel chooses the port. FILE is what the
// requests for a file read. It prints `listening PORT`. On SIGTERM it begins nothing more, finishes
// what is under way, prints `done` and exits with status 0.

import Glibc
import SignalboxConcurrency
import SignalboxDispatch

@main
enum Program {
  /// How long what is under way may take after SIGTERM. Far longer than the longest request, so
  /// that only a request that never ends, or a client that never reads, reaches it.
  private static let limit = DispatchTimeInterval.seconds(30)

  static func main() {
    let words = CommandLine.arguments
    guard words.count == 3, let port = UInt16(words[1]) else {
      fail("usage: SoakServer PORT FILE")
    }
    let listener: Listener
    do {
      try SignalboxExecutors.adopt()
      listener = try Listener(port: port, services: Services(file: words[2]))
    } catch {
      fail("\(error)")
    }
    let terminate = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
    terminate.setEventHandler { end(listener) }
    terminate.activate()
    // On the main queue: then the main queue has its descriptors, and whoever reads the line may
    // count the descriptors of an idle server.
    DispatchQueue.main.async {
      print("listening \(listener.port)")
      fflush(nil)
    }
    withExtendedLifetime((listener, terminate)) { dispatchMain() }
  }

  private static func end(_ listener: Listener) {
    listener.stop(within: limit) { isDone in
      print(isDone ? "done" : "gave up: \(listener.services.counts.text)")
      exit(isDone ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}

private func fail(_ message: String) -> Never {
  "SoakServer: \(message)\n".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  exit(EXIT_FAILURE)
}
