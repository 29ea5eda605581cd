// A program that imports the toolchain's Dispatch. It runs the scenario that is its argument and
// prints `done`, or what did not hold. A misuse ends it. `list` prints the scenarios.
//
// Without a scenario it uses its three packages and prints the names of its threads.

import Dispatch
import Glibc
import OnlyDispatch
import OnlyFoundation
import OnlyTasks
import StockScenarios

if CommandLine.arguments.count > 1 {
  if CommandLine.arguments[1] == "list" {
    for scenario in StockScenario.allCases { print(scenario.rawValue) }
    exit(0)
  }
  if let misuse = StockMisuse(rawValue: CommandLine.arguments[1]) { end(by: misuse) }
  guard let scenario = StockScenario(rawValue: CommandLine.arguments[1]) else { exit(64) }
  Task.detached {
    try await run(scenario)
    print("done")
    exit(0)
  }
  dispatchMain()
} else {
  expect(OnlyDispatch.runItems(100) == 100)
  expect(OnlyFoundation.runOperations(100) == 100)
  Task.detached {
    await expect(OnlyTasks.runTasks(100) == 100)
    await expect(OnlyTasks.onMainActor { OnlyFoundation.isMainThread })
    for name in threadNames(awaiting: "sb-") { print("thread=\(name)") }
    exit(0)
  }
  dispatchMain()
}
