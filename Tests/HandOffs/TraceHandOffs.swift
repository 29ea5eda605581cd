// TraceHandOffs — the observer, passed to the threads that it observes, and the events that a
// thread records, passed to the thread that copies the recording.

import CSignalbox
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTrace
import Synchronization

let traceHandOffs = [
  // Each of many threads subscribes as one of the first in the process, and receives its own
  // event. Another thread, which subscribes to nothing, finds the observer by itself.
  HandOff("observer-installed") {
    let others = DispatchGroup()
    let turns = Turns()
    let subscribers = 8
    let bodies: [@Sendable () -> Void] = (0..<subscribers).map { _ in
      {
        let received = Atomic<Int>(0)
        let thread = csb_thread_number()
        let own = DispatchGroup()
        let id = ProbeSubscribers.shared.subscribe(to: [.groupEntered]) { event in
          // order: relaxed; read by the same thread.
          if event.thread == thread { _ = received.add(1, ordering: .relaxed) }
        }
        own.enter()
        own.leave()
        // order: relaxed; see above.
        if received.load(ordering: .relaxed) != 1 { fatal("a subscriber missed its own event") }
        ProbeSubscribers.shared.unsubscribe(id)
        turns.end()
      }
    }
    let observed: @Sendable () -> Void = {
      while turns.now < subscribers {
        others.enter()
        others.leave()
      }
    }
    together([observed] + bodies)
  },
  HandOff("trace-copied") {
    let queue = DispatchQueue(label: "hand-off.trace")
    do { try TraceRecorder.start() } catch { fatal("\(error)") }
    // The queue has its number, and this thread has its chunk.
    queue.sync {}
    let turns = Turns()
    together(
      {
        // The steps of a `sync` take no lock, and the chunk does not fill up that fast.
        queue.sync {}
        while turns.now < turnRounds { queue.sync {} }
      },
      {
        for _ in 0..<turnRounds {
          if TraceRecorder.snapshot().isEmpty { fatal("nothing is recorded") }
          turns.end()
        }
      })
  },
]
