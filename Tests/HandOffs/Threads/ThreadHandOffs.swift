// ThreadHandOffs — what a thread receives at its start and passes on at its end, and which thread
// learns that the process may end.

import Glibc
import SignalboxLocks
import SignalboxThreads

let threadHandOffs = [
  HandOff("thread-start") {
    for round in 0..<turnRounds {
      let input = Plain(), done = Turns()
      input.value = round
      Thread {
        expect(input.value, round, "what was written before the start")
        done.end()
      }.start()
      done.await(1)
    }
  },
  HandOff("thread-start-lowered") {
    // The starter thread starts it, because the creator's priority is lowered.
    let parent = JoinableThread {
      for round in 0..<turnRounds {
        let input = Plain(), output = Plain()
        input.value = round
        let child = JoinableThread { output.value = input.value + 1 }
        child.start()
        child.join()
        expect(output.value, round + 1, "what the child wrote")
      }
    }
    parent.thread.threadPriority = 0
    parent.start()
    parent.join()
  },
  HandOff("thread-join-by-turns") {
    // The thread ends before the join: nothing sleeps, and only pthread_join, which
    // ThreadSanitizer knows, is between them.
    for round in 0..<turnRounds {
      let output = Plain(), ended = Turns()
      let thread = JoinableThread {
        output.value = round
        ended.end()
      }
      thread.start()
      ended.await(1)
      thread.join()
      expect(output.value, round, "what the thread wrote")
    }
  },
  HandOff("thread-join-contended") {
    for round in 0..<chanceRounds {
      let output = Plain()
      let thread = JoinableThread { () -> Int in
        work(round)
        output.value = round
        return round
      }
      thread.start()
      work(round / 4)
      expect(thread.join(), round, "the result")
      expect(output.value, round, "what the thread wrote")
    }
  },
  HandOff("thread-join-timed") {
    for round in 0..<chanceRounds / 4 {
      let output = Plain()
      let thread = JoinableThread { () -> Int in
        work(round)
        output.value = round
        return round
      }
      thread.start()
      while true {
        guard let result = thread.join(before: Date() + 0.00002) else { continue }
        expect(result, round, "the result")
        break
      }
      expect(output.value, round, "what the thread wrote")
    }
  },
  HandOff("thread-detached-late") {
    // A thread that detaches an ended thread frees what it left.
    for round in 0..<turnRounds {
      let thread = JoinableThread { () -> [Int] in [round] }
      thread.start()
      while !thread.isFinished { sched_yield() }
      work(round)
      thread.detach()
    }
  },
  HandOff("thread-is-finished") {
    for round in 0..<chanceRounds {
      let output = Plain()
      let thread = Thread {
        work(round)
        output.value = round
      }
      thread.start()
      while !thread.isFinished { sched_yield() }
      expect(output.value, round, "what the thread wrote")
    }
  },
  HandOff("threads-that-must-finish") {
    for round in 0..<chanceRounds / 4 {
      let outputs = [Plain(), Plain(), Plain()]
      for (index, output) in outputs.enumerated() {
        let thread = Thread {
          work(round + index)
          output.value = round
        }
        thread.mustFinish = true
        thread.start()
      }
      Termination.waitForThreads()
      for output in outputs { expect(output.value, round, "what a thread wrote") }
    }
  },
  HandOff("termination-reply") {
    for round in 0..<chanceRounds {
      let output = Plain(), asked = Turns()
      Termination.handler = {
        asked.end()
        return .terminateLater
      }
      together(
        {
          if !Termination.request(status: 2) { expect(output.value, round, "what was written") }
        },
        {
          asked.await(1)
          output.value = round
          work(round)
          Termination.reply(toShouldTerminate: false)
        })
    }
  },
]
