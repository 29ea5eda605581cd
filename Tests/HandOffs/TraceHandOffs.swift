// TraceHandOffs — the events that a thread records, passed to the thread that copies the
// recording.

import SignalboxDispatch
import SignalboxTrace

let traceHandOffs = [
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
  }
]
