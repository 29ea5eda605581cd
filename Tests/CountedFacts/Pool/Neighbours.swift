// Neighbours — a program that takes a processor away from its parent; see `BusyNeighbours`.

import Glibc

package enum NeighbourScenario: String, CountedScenario {
  case computeBesideAParent = "compute-beside-a-parent"
}

extension NeighbourScenario: Scenario {
  func run() {
    switch self {
    // Argument: the parent's number. When that process is gone, this one has another parent.
    case .computeBesideAParent:
      let parent = pid_t(integerArgument(0, default: 0))
      report("computes", 1)
      let work = Tally()
      while getppid() == parent {
        for _ in 0..<10_000 { work.increment() }
      }
    }
  }
}
