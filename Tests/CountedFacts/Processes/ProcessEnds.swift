// ProcessEnds — a process that waits for its threads before it ends, or asks whether it may
// end.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxThreads

package enum ProcessEndScenario: String, CountedScenario {
  case aPlainThreadDoesNotDelayTheExitOfTheProcess = "a-plain-thread-does-not-hold-the-process"
  case threadsThatMustFinishAreWaitedFor = "threads-that-must-finish-are-waited-for"
  case threadsThatMustFinishAskForTheEndAtOnce = "threads-that-must-finish-ask-for-the-end-at-once"
  case terminationIsAskedFor = "termination-is-asked-for"
  case terminationGivesUpOnThreads = "termination-gives-up-on-threads"
  case terminationIsAnsweredLater = "termination-is-answered-later"
  case terminationIsAnsweredEarly = "termination-is-answered-early"
}

extension ProcessEndScenario: Scenario {
  func run() {
    switch self {
    case .aPlainThreadDoesNotDelayTheExitOfTheProcess:
      let isInside = DispatchSemaphore(value: 0)
      Thread {
        isInside.signal()
        while true { pause() }
      }.start()
      isInside.wait()
      report("waited", Termination.waitForThreads() ? 1 : 0)
      exit(5)
    case .threadsThatMustFinishAreWaitedFor:
      let ended = Tally()
      let mayEnd = DispatchSemaphore(value: 0)
      for _ in 0..<8 {
        let thread = Thread {
          mayEnd.wait()
          ended.increment()
        }
        thread.mustFinish = true
        thread.start()
      }
      report("early", Termination.waitForThreads(until: Date() + 0.02) ? 1 : 0)
      report("past", Termination.waitForThreads(until: .distantPast) ? 1 : 0)
      for _ in 0..<8 { mayEnd.signal() }
      report("late", Termination.waitForThreads(until: .distantFuture) ? 1 : 0)
      report("ended", ended.count)
      // The process does not wait for a thread that waits itself.
      let last = JoinableThread { Termination.waitForThreads() }
      last.thread.mustFinish = true
      last.start()
      report("own", last.join() ? 1 : 0)
    case .threadsThatMustFinishAskForTheEndAtOnce:
      let threads = (0..<4).map { index in
        let thread = JoinableThread { () -> Void in
          if index < 2 { Termination.waitForThreads() }
          Termination.request(status: 9)
        }
        thread.thread.mustFinish = true
        return thread
      }
      for thread in threads { thread.start() }
      while true { pause() }
    case .terminationIsAskedFor:
      let asked = Tally()
      Termination.handler = {
        asked.increment()
        return asked.count == 1 ? .terminateCancel : .terminateNow
      }
      report("first", Termination.request(status: 1) ? 1 : 0)
      atexit { print("handlers=1") }
      let ended = Tally()
      let thread = Thread {
        sleepInKernel(milliseconds: 20)
        ended.increment()
        report("ended", ended.count)
      }
      thread.mustFinish = true
      thread.start()
      Termination.request(status: 6)
      fail("it came back")
    case .terminationGivesUpOnThreads:
      let thread = Thread { while true { pause() } }
      thread.mustFinish = true
      thread.start()
      Termination.request(status: 8, waitingUntil: Date() + 0.02)
      fail("it came back")
    case .terminationIsAnsweredLater:
      let asked = DispatchSemaphore(value: 0)
      Termination.handler = {
        asked.signal()
        return .terminateLater
      }
      // Several threads ask at once; none receives an answer before the answer is given.
      let refused = Tally()
      let askers = (0..<4).map { _ in
        let thread = JoinableThread { if !Termination.request(status: 1) { refused.increment() } }
        thread.start()
        return thread
      }
      var questions = 0
      // A thread that arrives after a refusal asks again. A thread that arrived before has the
      // answer, though it may not have seen it yet.
      while refused.count < 4 {
        guard asked.wait(timeout: .now() + .milliseconds(10)) == .success else { continue }
        questions += 1
        report("before.\(questions)", refused.count < 4 ? 1 : 0)
        answer(false)
      }
      for thread in askers { thread.join() }
      report("refused", refused.count)
      Thread {
        asked.wait()
        answer(true)
      }.start()
      Termination.request(status: 9)
      fail("it came back")
    case .terminationIsAnsweredEarly:
      let count = Tally()
      Termination.handler = {
        // The answer arrives before the handler returns that it will follow
        // later.
        let isYes = count.increment() == 2
        onOwnThread { answer(isYes) }
        return .terminateLater
      }
      report("first", Termination.request(status: 1) ? 1 : 0)
      Termination.request(status: 4)
      fail("it came back")
    }
  }
}

private func answer(_ isYes: Bool) { Termination.reply(toShouldTerminate: isYes) }
