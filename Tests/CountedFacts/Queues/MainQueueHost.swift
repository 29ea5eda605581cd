// MainQueueHost — the main queue in another loop, and the message if nothing drains it.

import SignalboxDispatch
import Glibc

package enum MainQueueHostScenario: String, CountedScenario {
  case mainIsHostedByAPollLoop = "main-is-hosted-by-a-poll-loop"
  case blockedReportOfAnUndrainedMainQueue = "blocked-report-of-an-undrained-main-queue"
}

extension MainQueueHostScenario: Scenario {
  func run() {
    switch self {
    case .mainIsHostedByAPollLoop:
      let notes = HostNotes()
      report("idleTimeout", DispatchMainQueueHost.timeout == .never)
      report("idleReadable", isReadable(timeout: 0))
      DispatchQueue.main.async { notes.add("first") }
      report("pendingTimeout", DispatchMainQueueHost.timeout == .never)
      report("pendingReadable", isReadable(timeout: 0))
      report("before", notes.all.count)
      DispatchMainQueueHost.drain()
      report("after", notes.all.count)
      report("drainedTimeout", DispatchMainQueueHost.timeout == .never)
      report("drainedReadable", isReadable(timeout: 0))
      // Draining an empty queue does nothing.
      DispatchMainQueueHost.drain()
      // An item that an item submits is not lost, though the loop sleeps in between.
      DispatchQueue.main.async {
        notes.add("outer")
        DispatchQueue.main.async { notes.add("inner") }
      }
      let group = DispatchGroup()
      for step in 0..<100 {
        DispatchQueue.global().async(group: group) {
          DispatchQueue.main.async { notes.add("worker") }
          _ = step
        }
      }
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(30)) { notes.add("after") }
      group.notify(queue: .main) { notes.add("told") }
      // A thread may be between the append of its item and its announcement. Until it goes on, the
      // timeout is zero and a drain finds nothing.
      let end = milliseconds() + eventTimeout
      while notes.all.count < 105 && milliseconds() < end {
        let pollTimeout: Int32 = DispatchMainQueueHost.timeout == .never ? 30_000 : 0
        if isReadable(timeout: pollTimeout) || pollTimeout == 0 { DispatchMainQueueHost.drain() }
      }
      report("count", notes.all.count)
      report("strays", notes.strays)
      report("workers", notes.all.count { $0 == "worker" })
      report(
        "innerAfterOuter", notes.all.firstIndex(of: "outer")! < notes.all.firstIndex(of: "inner")!)
      report("others", notes.all.filter { $0 == "after" || $0 == "told" }.count)
      // The thread that submitted the last item may not have woken the loop yet.
      awaitRest()
      DispatchMainQueueHost.drain()
      // A quiet loop sleeps: nothing makes the descriptor readable.
      report("quietReadable", isReadable(timeout: 200))
    case .blockedReportOfAnUndrainedMainQueue:
      for _ in 0..<3 { DispatchQueue.main.async {} }
      for line in BlockedReport.text().split(separator: "\n") { print("report: \(line)") }
      fflush(nil)
    }
  }
}

private func isReadable(timeout: Int32) -> Bool {
  var polled = pollfd(
    fd: DispatchMainQueueHost.fileDescriptor, events: Int16(POLLIN), revents: 0)
  let result = poll(&polled, 1, timeout)
  if result < 0 && errno != EINTR { fail("poll: \(errno)") }
  return result > 0
}

/// Records what main items did, and how many ran off the first thread.
private final class HostNotes: @unchecked Sendable {
  // SAFETY: used by items of the main queue, and by the first thread between them; `add` checks
  // the thread.
  private(set) var all: [String] = []
  private(set) var strays = 0

  func add(_ note: String) {
    if ownThreadNumber() != Int(getpid()) { strays += 1 }
    all.append(note)
  }
}
