// SignalHandOffs — what a signal's sender wrote, passed to the handler of a source.

import Glibc
import SignalboxDispatch

let signalHandOffs = [
  HandOff("signal-source") {
    let turns = Turns()
    // One payload for each round: nothing orders the handler before the sender's next round.
    let payloads = (0..<turnRounds).map { _ in Plain() }
    let source = DispatchSource.makeSignalSource(signal: SIGUSR1) as! DispatchSource
    source.setEventHandler {
      expect(payloads[turns.now].value, turns.now + 1, "the payload")
      turns.end()
    }
    source.activate()
    together {
      for round in 0..<turnRounds {
        turns.await(round)
        payloads[round].value = round + 1
        raise(SIGUSR1)
      }
    }
    turns.await(turnRounds)
    source.cancel()
  }
]
