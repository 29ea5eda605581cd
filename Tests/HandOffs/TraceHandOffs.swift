// The events that a thread records, given to who copies the recording.

import SignalboxDispatch
import SignalboxTrace

let traceHandOffs = [
  HandOff("trace-copied") {
    let queue = DispatchQueue(label: "hand-off.trace")
    do { try TraceRecorder.start() } catch { fatal("\(error)") }
    // The queue has its number, and this thread its chunk.
    queue.sync {}
    let turns = Turns()
    together(
      {
        // Steps of a `sync` take no lock, and a chunk is not full so soon.
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
