// TraceHandOffs — the observer, passed to the threads that it observes, and the events that a
// thread records, passed to the thread that copies the recording.

import CSignalbox
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTrace

let traceHandOffs = [
  // A thread that subscribes to nothing finds the observer that another thread installs.
  HandOff("observer-found") {
    let (isFound, isOver) = (Turns(), Turns())
    together(
      {
        let semaphore = DispatchSemaphore(value: 0)
        while isOver.now == 0 { semaphore.signal() }
      },
      {
        let id = ProbeSubscribers.shared.subscribe(to: [.semaphoreSignalled]) { _ in isFound.end() }
        isFound.await(1)
        ProbeSubscribers.shared.unsubscribe(id)
        isOver.end()
      })
  },
  // Each of many threads is among the first of the process to subscribe, and receives its event.
  HandOff("observer-installed") {
    together(
      (0..<8).map { _ in
        {
          let entries = Turns()
          let thread = csb_thread_number()
          let id = ProbeSubscribers.shared.subscribe(to: [.groupEntered]) { event in
            if event.thread == thread { entries.end() }
          }
          let group = DispatchGroup()
          group.enter()
          group.leave()
          if entries.now != 1 { fatal("a subscriber missed its own event") }
          ProbeSubscribers.shared.unsubscribe(id)
        }
      })
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
