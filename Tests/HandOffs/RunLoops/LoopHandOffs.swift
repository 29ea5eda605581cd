// LoopHandOffs — what was written before a source was signalled, or before a loop was woken or
// stopped, passed to what the loop does then.

import SignalboxDispatch
import SignalboxRunLoop

let loopHandOffs = [
  HandOff("source-signalled") {
    let (turns, payloads) = (Turns(), freshPayloads())
    let source = source {
      expect(payloads[turns.now].value, turns.now + 1, "the payload of a signal")
      turns.end()
    }
    together(
      {
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
        while turns.now < turnRounds { CFRunLoopRunInMode(mode, 0, true) }
      },
      {
        for round in 0..<turnRounds {
          turns.await(round)
          payloads[round].value = round + 1
          CFRunLoopSourceSignal(source)
        }
      })
  },
  HandOff("loop-woken-asleep") {
    let (turns, payloads, shared) = (Turns(), freshPayloads(), SharedLoop())
    together(
      {
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddSource(loop, source {}, mode)
        observe(.afterWaiting) {
          if turns.now == turnRounds { return }
          expect(payloads[turns.now].value, turns.now + 1, "the payload of a wake-up")
          turns.end()
          if turns.now == turnRounds { CFRunLoopStop(CFRunLoopGetCurrent()) }
        }
        shared.show(loop)
        CFRunLoopRunInMode(mode, 1e9, false)
      },
      {
        let loop = shared.wait()
        for round in 0..<turnRounds {
          turns.await(round)
          while !CFRunLoopIsWaiting(loop) {}
          payloads[round].value = round + 1
          CFRunLoopWakeUp(loop)
        }
      })
  },
  HandOff("loop-woken-at-work") {
    let (begun, sent, read) = (Turns(), Turns(), Turns())
    let (payloads, shared) = (freshPayloads(), SharedLoop())
    let source = source {
      begun.end()
      sent.await(begun.now)
    }
    together(
      {
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddSource(loop, source, mode)
        // The pass after the one in which the loop was woken.
        observe(.beforeTimers) {
          if begun.now > read.now {
            expect(payloads[read.now].value, read.now + 1, "the payload of a wake-up")
            read.end()
          }
          CFRunLoopSourceSignal(source)
          if read.now == turnRounds { CFRunLoopSourceInvalidate(source) }
        }
        shared.show(loop)
        CFRunLoopRunInMode(mode, 1e9, false)
      },
      {
        let loop = shared.wait()
        for round in 0..<turnRounds {
          begun.await(round + 1)
          payloads[round].value = round + 1
          CFRunLoopWakeUp(loop)
          sent.end()
        }
      })
  },
  HandOff("loop-stopped-at-work") {
    let (begun, sent) = (Turns(), Turns())
    let (payloads, shared) = (freshPayloads(), SharedLoop())
    let source = source {
      begun.end()
      sent.await(begun.now)
    }
    together(
      {
        let loop = CFRunLoopGetCurrent()!
        CFRunLoopAddSource(loop, source, mode)
        shared.show(loop)
        for round in 0..<turnRounds {
          CFRunLoopSourceSignal(source)
          CFRunLoopRunInMode(mode, 1e9, false)
          expect(payloads[round].value, round + 1, "the payload of a stop")
        }
      },
      {
        let loop = shared.wait()
        for round in 0..<turnRounds {
          begun.await(round + 1)
          payloads[round].value = round + 1
          CFRunLoopStop(loop)
          sent.end()
        }
      })
  },
]

private let mode = CFRunLoopMode("hand-offs")

/// Returns one payload for each round: nothing orders the loop's thread before the other's next
/// round.
private func freshPayloads() -> [Plain] { (0..<turnRounds).map { _ in Plain() } }

private func source(_ perform: @escaping @Sendable () -> Void) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  context.perform = { _ in perform() }
  return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
}

/// Makes the calling thread's loop report an activity.
private func observe(_ activity: CFRunLoopActivity, _ handler: @escaping () -> Void) {
  let observer = CFRunLoopObserverCreateWithHandler(
    kCFAllocatorDefault, activity.rawValue, true, 0
  ) { _, _ in handler() }
  CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode)
}

/// A loop that is passed to another thread once, which orders what comes before.
private final class SharedLoop: @unchecked Sendable {
  // SAFETY: written before the signal, read after the wait.
  private var loop: CFRunLoop!
  private let isThere = DispatchSemaphore(value: 0)

  func show(_ loop: CFRunLoop) {
    self.loop = loop
    isThere.signal()
  }

  func wait() -> CFRunLoop {
    isThere.wait()
    return loop
  }
}
