// MainQueueForms — the main queue with the submission functions of C programs, and what its
// thread learns about itself.

import Glibc
import SignalboxDispatch

package enum MainQueueFormScenario: String, CountedScenario {
  case mainTakesFunctionsLoopsAndAsyncAndWait = "main-takes-functions-loops-and-async-and-wait"
  case mainKnowsItsValuesAndItsLabel = "main-knows-its-values-and-its-label"
  case mainSyncIsOnTheCallersQueues = "main-sync-is-on-the-callers-queues"
}

extension MainQueueFormScenario: Scenario {
  func run() {
    switch self {
    case .mainTakesFunctionsLoopsAndAsyncAndWait:
      let above = DispatchQueue(label: "org.signalbox.facts.above", target: .main)
      DispatchQueue.global().async {
        let main = DispatchQueue.main
        main.asyncAndWait { formNotes.add("asyncAndWait") }
        dispatch_sync_f(main, nil) { _ in formNotes.add("sync_f") }
        dispatch_apply(3, main) { formNotes.add("\($0)") }
        above.suspend()
        above.async {}
        above.resume()
        above.asyncAndWait { formNotes.add("through a target") }
        dispatch_async_f(main, nil) { _ in
          formNotes.add("async_f")
          formNotes.end()
        }
      }
      dispatchMain()
    case .mainSyncIsOnTheCallersQueues:
      let caller = DispatchQueue(label: "org.signalbox.facts.caller")
      caller.async {
        DispatchQueue.main.sync {
          dispatchPrecondition(condition: .onQueue(.main))
          dispatchPrecondition(condition: .onQueue(caller))
          formNotes.add("sync")
        }
        DispatchQueue.main.async {
          dispatchPrecondition(condition: .notOnQueue(caller))
          formNotes.add("async")
          formNotes.end()
        }
      }
      dispatchMain()
    case .mainKnowsItsValuesAndItsLabel:
      let key = DispatchSpecificKey<Int>()
      DispatchQueue.main.setSpecific(key: key, value: 7)
      let above = DispatchQueue(label: "org.signalbox.facts.above", target: .main)
      @Sendable func reportWhatIsKnown(_ place: String) {
        let value = DispatchQueue.getSpecific(key: key).map { "\($0)" } ?? "nothing"
        let label = String(cString: __dispatch_queue_get_label(nil))
        let current = DispatchQueue.current
        let name = current === DispatchQueue.main ? "main" : current === above ? "above" : "none"
        report(place, "\(value),\(label),\(name)")
      }
      reportWhatIsKnown("outside")
      DispatchQueue.main.async {
        reportWhatIsKnown("inside")
        above.async {
          reportWhatIsKnown("above")
          exit(0)
        }
      }
      dispatchMain()
    }
  }
}

// Shared with functions, which capture nothing.
private let formNotes = MainNotes()
