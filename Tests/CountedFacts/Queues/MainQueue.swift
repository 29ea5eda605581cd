// MainQueue — the main queue in a program that owns its first thread: what runs there, in which
// order, and on which thread.

import SignalboxDispatch
import Glibc

package enum MainQueueScenario: String, CountedScenario {
  case mainRunsItemsInOrderOnTheFirstThread = "main-runs-items-in-order-on-the-first-thread"
  case mainRunsNothingUntilItIsDrained = "main-runs-nothing-until-it-is-drained"
  case mainItemSubmittedByAMainItemWaitsForItsEnd =
    "main-item-submitted-by-a-main-item-waits-for-its-end"
  case mainSyncFromAWorkerRunsOnTheFirstThread = "main-sync-from-a-worker-runs-on-the-first-thread"
  case mainTakesEveryFormOfSubmission = "main-takes-every-form-of-submission"
  case mainKeepsTheOrderOfEachOfSeveralProducers =
    "main-keeps-the-order-of-each-of-several-producers"
  case mainWakesForEachOfManyHops = "main-wakes-for-each-of-many-hops"
  case mainLosesNothingBySuspendAndResume = "main-loses-nothing-by-suspend-and-resume"
  case mainServesQueuesThatTargetIt = "main-serves-queues-that-target-it"
  case mainThreadIsOnTheMainQueue = "main-thread-is-on-the-main-queue"
  case mainReleasesWhatItsItemsCaptured = "main-releases-what-its-items-captured"
}

extension MainQueueScenario: Scenario {
  func run() {
    switch self {
    case .mainRunsItemsInOrderOnTheFirstThread:
      let notes = MainNotes()
      for number in 0..<200 { DispatchQueue.main.async { notes.add("\(number)") } }
      DispatchQueue.main.async { notes.end() }
      dispatchMain()
    case .mainRunsNothingUntilItIsDrained:
      let notes = MainNotes()
      DispatchQueue.main.async { notes.add("item") }
      DispatchQueue.global().async {
        DispatchQueue.main.async {
          notes.add("from a worker")
          notes.end()
        }
      }
      sleepInKernel(seconds: 1)
      notes.add("before draining")
      dispatchMain()
    case .mainItemSubmittedByAMainItemWaitsForItsEnd:
      let notes = MainNotes()
      DispatchQueue.main.async {
        notes.add("outer begins")
        DispatchQueue.main.async {
          notes.add("inner")
          notes.end()
        }
        sleepInKernel(seconds: 1)
        notes.add("outer ends")
      }
      DispatchQueue.main.async { notes.add("second") }
      dispatchMain()
    case .mainSyncFromAWorkerRunsOnTheFirstThread:
      let notes = MainNotes()
      DispatchQueue.global().async {
        let number: Int = DispatchQueue.main.sync {
          notes.add("sync")
          return ownThreadNumber()
        }
        report("passedBack", number == Int(getpid()))
        do {
          try DispatchQueue.main.sync(flags: .barrier) { () throws -> Void in
            notes.add("throws")
            throw Refusal()
          }
          report("error", "none")
        } catch {
          report("error", error is Refusal ? "passed back" : "\(error)")
        }
        DispatchQueue.main.sync(execute: DispatchWorkItem { notes.add("item") })
        DispatchQueue.main.async { notes.end() }
      }
      dispatchMain()
    case .mainTakesEveryFormOfSubmission:
      let notes = MainNotes()
      let group = DispatchGroup()
      let main = DispatchQueue.main
      main.async { notes.add("async") }
      main.async(flags: .barrier) { notes.add("barrier") }
      main.async(qos: .background) { notes.add("background") }
      main.async(execute: DispatchWorkItem(flags: .barrier) { notes.add("item") })
      main.async(group: group) { notes.add("group") }
      main.async(group: group, execute: DispatchWorkItem { notes.add("group item") })
      group.notify(queue: main) {
        notes.add("told")
        main.asyncAfter(deadline: .now() + .milliseconds(5)) {
          notes.add("after")
          main.asyncAfter(wallDeadline: .now() + .milliseconds(5)) {
            notes.add("after wall")
            let first = DispatchWorkItem { notes.add("performed") }
            first.notify(queue: main) {
              notes.add("item told")
              notes.end()
            }
            first.perform()
          }
        }
      }
      dispatchMain()
    case .mainKeepsTheOrderOfEachOfSeveralProducers:
      let notes = MainNotes()
      let producers = 4
      let group = DispatchGroup()
      for producer in 0..<producers {
        DispatchQueue.global().async(group: group) {
          for step in 0..<250 { DispatchQueue.main.async { notes.add("\(producer).\(step)") } }
        }
      }
      group.notify(queue: .main) {
        for producer in 0..<producers {
          let own = notes.all.filter { $0.hasPrefix("\(producer).") }
          report("producer\(producer)", own == (0..<250).map { "\(producer).\($0)" })
        }
        notes.end(listing: false)
      }
      dispatchMain()
    case .mainWakesForEachOfManyHops:
      let notes = MainNotes()
      hop(left: 500, notes)
      dispatchMain()
    case .mainLosesNothingBySuspendAndResume:
      let notes = MainNotes()
      let main = DispatchQueue.main
      main.async {
        main.suspend()
        main.async { notes.add("item") }
        DispatchQueue.global().async {
          main.resume()
          main.async {
            notes.add("last")
            notes.end()
          }
        }
      }
      dispatchMain()
    case .mainServesQueuesThatTargetIt:
      let notes = MainNotes()
      let queue = DispatchQueue(label: "org.signalbox.facts.on-main", target: .main)
      let concurrent = DispatchQueue(
        label: "org.signalbox.facts.concurrent-on-main", attributes: .concurrent, target: .main)
      queue.async {
        dispatchPrecondition(condition: .onQueue(.main))
        dispatchPrecondition(condition: .onQueue(queue))
        notes.add("serial")
        concurrent.async {
          notes.add("concurrent")
          notes.end()
        }
      }
      dispatchMain()
    case .mainThreadIsOnTheMainQueue:
      let notes = MainNotes()
      dispatchPrecondition(condition: .onQueue(.main))
      DispatchQueue.global().async {
        dispatchPrecondition(condition: .notOnQueue(.main))
        DispatchQueue.main.async {
          dispatchPrecondition(condition: .onQueue(.main))
          notes.add("checked")
          notes.end()
        }
      }
      dispatchMain()
    case .mainReleasesWhatItsItemsCaptured:
      let alive = Tally()
      for _ in 0..<100 {
        let object = Tracked(alive)
        DispatchQueue.main.async { withExtendedLifetime(object) {} }
      }
      DispatchQueue.main.async {
        DispatchQueue.main.async {
          report("alive", alive.count)
          exit(0)
        }
      }
      dispatchMain()
    }
  }
}

struct Refusal: Error {}

/// Returns the kernel's number of the calling thread.
func ownThreadNumber() -> Int {
  var buffer = [CChar](repeating: 0, count: 64)
  let length = readlink("/proc/thread-self", &buffer, buffer.count)
  guard length > 0 else { fail("/proc/thread-self cannot be read") }
  let text = String(decoding: buffer[0..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  return Int(text.split(separator: "/").last!)!
}

/// Records what main items did, in order, and whether all ran on the first thread.
final class MainNotes: @unchecked Sendable {
  // SAFETY: only items of the main queue use it, one at a time; `add` checks the thread.
  private(set) var all: [String] = []
  private var strays = 0

  func add(_ note: String) {
    if ownThreadNumber() != Int(getpid()) { strays += 1 }
    all.append(note)
  }

  /// Prints the record and ends the program.
  func end(listing: Bool = true) -> Never {
    report("strays", strays)
    report("count", all.count)
    if listing { report("notes", all.joined(separator: ",")) }
    exit(0)
  }
}

/// Submits from the main queue to a worker and back.
private func hop(left: Int, _ notes: MainNotes) {
  DispatchQueue.main.async {
    notes.add("hop")
    if left == 0 { notes.end(listing: false) }
    DispatchQueue.global().async { hop(left: left - 1, notes) }
  }
}
