// ChildService — starts children, some at a time, and waits for their ends by process sources.
//
// Touching    `waiting`, `running`: items of `queue` only.

import Glibc
import SignalboxDispatch

// SAFETY: see Touching.
final class ChildService: Service, @unchecked Sendable {
  private let queue = DispatchQueue(label: "soak.children")
  private var waiting: [(request: Request, reply: Reply)] = []
  private var running: [pid_t: any DispatchSourceProcess] = [:]

  /// A burst of requests must not become as many processes at once.
  private static let mostRunning = 8
  private static let shell = "/bin/sh"

  func answer(_ request: Request, reply: @escaping Reply) {
    queue.async { [self] in
      waiting.append((request, reply))
      startNext()
    }
  }

  private func startNext() {
    while running.count < ChildService.mostRunning && !waiting.isEmpty {
      let (request, reply) = waiting.removeFirst()
      start(request, reply)
    }
  }

  private func start(_ request: Request, _ reply: @escaping Reply) {
    let line: [String] = [ChildService.shell, "-c", "exit \(request.count)"]
    var words: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var process = pid_t()
    let error = posix_spawn(&process, ChildService.shell, nil, nil, &words, &environment)
    if error != 0 { return reply("posix_spawn: errno \(error)") }
    let child = process
    let ended = DispatchSource.makeProcessSource(
      identifier: child, eventMask: .exit, queue: queue)
    ended.setEventHandler { [self] in reap(child, reply) }
    running[child] = ended
    ended.activate()
  }

  private func reap(_ child: pid_t, _ reply: Reply) {
    var status: Int32 = 0
    var ended: pid_t
    repeat { ended = waitpid(child, &status, 0) } while ended < 0 && errno == EINTR
    let hasExited = ended == child && status & 0x7F == 0
    running.removeValue(forKey: child)?.cancel()
    reply(hasExited ? "\((status >> 8) & 0xFF)" : "waitpid: \(ended), status \(status)")
    startNext()
  }
}
