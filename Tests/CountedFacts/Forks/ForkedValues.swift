// ForkedValues — lazy values of the Swift runtime across fork(2): the first thread of a child
// creates a value that another thread of the child waits for.

import CSlowOnce
import Glibc

package enum ForkedValueScenario: String, CountedScenario {
  case forkAndCreateAnAwaitedValue = "fork-and-create-an-awaited-value"
}

extension ForkedValueScenario: Scenario {
  func run() {
    // From now on, the runtime has kept the number of this thread.
    _ = Made.value
    reportChild("child") {
      reportChild("grandchild", createAnAwaitedValue)
      createAnAwaitedValue()
    }
    createAnAwaitedValue()
    report("parent", "goes on")
  }
}

private enum Made {
  static let value = getpid()
}

private func createAnAwaitedValue() {
  alarm(30)
  if cso_make_while_another_waits() == 0 { _exit(20) }
  alarm(0)
}
