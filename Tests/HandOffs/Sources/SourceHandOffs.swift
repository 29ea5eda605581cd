// SourceHandOffs — what sources and timers pass on: from the thread that makes an event, sets a
// handler, resumes or schedules, to the handler; from one handler to the next; and from all of
// them to the thread that frees what they held.

import Glibc
import SignalboxDispatch

let sourceHandOffs = [
  HandOff("source-merge") {
    // The handler finds the data that belongs to each merge.
    let slots = (0..<3).map { _ in (0..<chanceRounds).map { _ in Plain() } }
    let next = (0..<3).map { _ in Plain() }
    let told = Turns()
    let source = Anywhere(
      DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "merge")))
    source.value.setEventHandler {
      // A field of sixteen bits for each thread counts its merges.
      let data = source.value.data
      for thread in 0..<3 {
        for _ in 0..<Int(data >> UInt(16 * thread) & 0xFFFF) {
          expect(slots[thread][next[thread].value].value, 1, "a merge")
          next[thread].value += 1
          told.end()
        }
      }
    }
    source.value.activate()
    together(
      (0..<3).map { thread in
        {
          for round in 0..<chanceRounds {
            if round % 64 == 0 { work(round / 64) }
            slots[thread][round].value = 1
            source.value.add(data: 1 << UInt(16 * thread))
          }
        }
      })
    told.await(3 * chanceRounds)
    finish(source)
  },
  HandOff("source-merge-by-turns") {
    let payloads = (0...turnRounds).map { _ in Plain() }
    let told = Turns()
    let source = Anywhere(
      DispatchSource.makeUserDataReplaceSource(queue: DispatchQueue(label: "turns")))
    source.value.setEventHandler {
      let round = Int(source.value.data)
      expect(payloads[round].value, round, "the payload")
      told.end()
    }
    source.value.activate()
    for round in 0..<turnRounds {
      payloads[round + 1].value = round + 1
      source.value.replace(data: UInt(round + 1))
      told.await(round + 1)
    }
    finish(source)
  },
  HandOff("source-handlers-by-turns") {
    // One handler of a source follows another, on whichever worker.
    let count = Plain()
    let told = Turns()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let source = Anywhere(DispatchSource.makeUserDataAddSource(queue: queue))
    source.value.setRegistrationHandler { count.value += 1 }
    source.value.setEventHandler {
      count.value += 1
      told.end()
    }
    source.value.activate()
    for round in 0..<turnRounds {
      // Another item of the queue runs on the worker that ran the handler before.
      queue.async { work(3) }
      source.value.add(data: 1)
      told.await(round + 1)
    }
    source.value.setCancelHandler {
      expect(count.value, turnRounds + 1, "handlers")
      told.end()
    }
    source.value.cancel()
    told.await(turnRounds + 1)
  },
  HandOff("source-handlers-contended") {
    let count = Plain(), handled = Plain()
    let told = Turns()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let source = Anywhere(DispatchSource.makeUserDataAddSource(queue: queue))
    source.value.setEventHandler {
      handled.value += Int(source.value.data)
      work(handled.value % 3)
    }
    source.value.setCancelHandler {
      count.value = handled.value
      told.end()
    }
    source.value.activate()
    together(
      (0..<3).map { thread in
        {
          for round in 0..<chanceRounds {
            source.value.add(data: 1)
            if round % 16 == 0 { work(round / 16) }
          }
        }
      })
    source.value.cancel()
    told.await(1)
  },
  HandOff("source-handler-set") {
    let told = Turns()
    let source = Anywhere(DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "set")))
    source.value.setEventHandler { told.end() }
    source.value.activate()
    together(
      {
        for round in 0..<chanceRounds {
          let payload = Plain()
          payload.value = round
          source.value.setEventHandler {
            expect(payload.value, round, "what the handler was given")
            told.end()
          }
          if round % 8 == 0 { work(round / 8) }
        }
      },
      {
        for round in 0..<chanceRounds {
          source.value.add(data: 1)
          if round % 8 == 0 { work(round / 8) }
        }
      })
    told.await(1)
    finish(source)
  },
  HandOff("source-suspended") {
    let payloads = (0..<turnRounds).map { _ in Plain() }
    let count = Plain()
    let told = Turns()
    let source = Anywhere(
      DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "suspended")))
    source.value.setEventHandler {
      expect(payloads[count.value].value, 1, "what was written before it was resumed")
      count.value += 1
      told.end()
    }
    source.value.activate()
    for round in 0..<turnRounds {
      source.value.suspend()
      source.value.add(data: 1)
      payloads[round].value = 1
      source.value.resume()
      told.await(round + 1)
    }
    finish(source)
  },
  HandOff("source-cancelled") {
    // The cancel handler sees the writes of the event handler and of the cancelling thread.
    for round in 0..<turnRounds {
      let cancelled = Plain(), count = Plain()
      let ended = Turns()
      let source = Anywhere(DispatchSource.makeUserDataAddSource(queue: .global()))
      source.value.setEventHandler { count.value += 1 }
      source.value.setCancelHandler {
        expect(cancelled.value, 1, "what was written before the cancellation")
        count.value += 1
        ended.end()
      }
      source.value.activate()
      together(
        { source.value.add(data: 1) },
        {
          work(round)
          cancelled.value = 1
          source.value.cancel()
        })
      ended.await(1)
    }
  },
  HandOff("source-registered") {
    for round in 0..<turnRounds {
      let payload = Plain()
      let registered = Turns()
      let source = Anywhere(DispatchSource.makeUserDataAddSource(queue: .global()))
      together(
        {
          // Before, during or after the activation.
          work(round)
          payload.value = 1
          source.value.setRegistrationHandler {
            expect(payload.value, 1, "what was written before the handler was set")
            registered.end()
          }
        },
        {
          work(round + 1)
          source.value.activate()
        })
      registered.await(1)
      source.value.cancel()
    }
  },
  HandOff("source-target") {
    let count = Plain()
    let told = Turns()
    let source = Anywhere(DispatchSource.makeUserDataAddSource(queue: .global()))
    source.value.setEventHandler {
      count.value += 1
      for _ in 0..<source.value.data { told.end() }
    }
    source.value.activate()
    together(
      {
        for round in 0..<turnRounds {
          (source.value as! DispatchSource).setTarget(queue: DispatchQueue(label: "\(round)"))
          work(round)
        }
      },
      {
        for round in 0..<chanceRounds {
          source.value.add(data: 1)
          work(round % 2)
        }
      })
    told.await(chanceRounds)
    finish(source)
  },
  HandOff("source-captures") {
    // The thread that frees the handler's captures sees what the handler wrote.
    for round in 0..<turnRounds {
      let told = Turns(), freed = Turns()
      let source = Anywhere(
        DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "captures")))
      func set() {
        let held = Held(freed)
        source.value.setEventHandler {
          held.count.value += 1
          told.end()
        }
      }
      set()
      source.value.activate()
      together(
        { source.value.add(data: 1) },
        {
          told.await(1)
          work(round)
          source.value.cancel()
        })
      freed.await(1)
    }
  },
  HandOff("timer-by-turns") {
    let payloads = (0..<turnRounds).map { _ in Plain() }
    let count = Plain()
    let told = Turns()
    let timer = Anywhere(DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer")))
    timer.value.setEventHandler {
      expect(payloads[count.value].value, 1, "what was written before the timer was set")
      count.value += 1
      told.end()
    }
    timer.value.activate()
    together(
      (0..<2).map { thread in
        {
          for round in 0..<turnRounds / 2 {
            // One turn to schedule, and one turn of the handler.
            told.await(2 * round + thread)
            payloads[2 * round + thread].value = 1
            timer.value.schedule(deadline: .now() + .microseconds(100 * (round % 3)))
          }
        }
      })
    told.await(turnRounds)
    finish(timer)
  },
  HandOff("timer-cancelled-by-another") {
    for round in 0..<turnRounds {
      let turns = Turns(), freed = Turns()
      let timer = Anywhere(DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer")))
      together(
        {
          let held = Held(freed)
          held.count.value = 1
          timer.value.setEventHandler { held.count.value += 0 }
          timer.value.schedule(deadline: round % 2 == 0 ? .now() + 100 : .now())
          timer.value.activate()
          turns.end()
        },
        {
          turns.await(1)
          work(round)
          timer.value.cancel()
        })
      freed.await(1)
    }
  },
  HandOff("timers-contended") {
    // Three threads and the poller change one collection of timers.
    let told = Turns()
    let queue = DispatchQueue(label: "timers")
    let sum = Plain()
    let rounds = chanceRounds / 4
    together(
      (0..<3).map { thread in
        {
          for round in 0..<rounds {
            let payload = Plain()
            payload.value = 1
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let never = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler {
              sum.value += payload.value
              told.end()
            }
            never.schedule(deadline: .now() + 50 + Double(round))
            never.activate()
            timer.schedule(deadline: .now() + .microseconds(round % 7 * 50))
            timer.activate()
            if round % 16 == 0 { work(round / 16) }
            never.cancel()
            told.await((round + 1) / 2)
            keep(timer)
          }
        }
      })
    told.await(3 * rounds)
    queue.sync { expect(sum.value, 3 * rounds, "fires") }
  },
  HandOff("read-source") {
    // The byte shows the handler that it may read; the registration carries the rest.
    let told = Turns()
    let queue = DispatchQueue(label: "read")
    for round in 0..<turnRounds {
      var ends: [Int32] = [0, 0]
      if pipe(&ends) != 0 { fatal("pipe: \(errno)") }
      let (input, output) = (ends[0], ends[1])
      var byte: UInt8 = 1
      if write(output, &byte, 1) != 1 { fatal("write: \(errno)") }
      let payload = Plain()
      payload.value = round
      let source = Anywhere(DispatchSource.makeReadSource(fileDescriptor: input, queue: queue))
      source.value.setEventHandler {
        expect(payload.value, round, "the payload")
        source.value.cancel()
      }
      source.value.setCancelHandler {
        close(input)
        close(output)
        payload.value += 1
        told.end()
      }
      source.value.activate()
      told.await(round + 1)
    }
  },
]

/// Carries a source to other threads.
// SAFETY: any thread may call a source's methods, although its type does not say so.
private struct Anywhere<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A capture of a handler, which counts in it. It reads the count when it is freed.
private final class Held: Sendable {
  let count = Plain()
  private let freed: Turns

  init(_ freed: Turns) { self.freed = freed }

  deinit {
    expect(count.value, 1, "what the handler wrote")
    freed.end()
  }
}

/// Cancels a source and waits for its cancel handler.
private func finish<Source>(_ source: Anywhere<Source>) {
  guard let any = source.value as? any DispatchSourceProtocol else { fatal("no source") }
  let ended = Turns()
  any.setCancelHandler { ended.end() }
  any.cancel()
  ended.await(1)
}

/// Keeps a timer until the process ends.
private func keep(_ timer: any DispatchSourceTimer) {
  // SAFETY: never balanced; the program is short.
  _ = Unmanaged.passRetained(timer as AnyObject)
}
