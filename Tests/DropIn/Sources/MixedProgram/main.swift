// A program whose own import lines name Signalbox's modules and whose packages use the toolchain's:
// all of them are served by one engine. It runs the scenario that is its argument and prints `done`.

import Glibc
import OnlyDispatch
import OnlyFoundation
import OnlyTasks
import SignalboxConcurrency
import SignalboxFoundation

/// Ends the program with the line of the call unless the condition holds.
@Sendable func expect(_ holds: Bool, line: Int = #line) {
  if holds { return }
  print("line \(line) does not hold")
  exit(1)
}

/// Uses what every package brings, and ends the program.
@Sendable func useEverything() async {
  expect(OnlyDispatch.runItems(100) == 100)
  expect(OnlyFoundation.runOperations(100) == 100)
  await expect(OnlyTasks.runTasks(100) == 100)
  await expect(OnlyTasks.onMainActor { Thread.isMainThread })
  let operations = OperationQueue()
  operations.addOperation {
    DispatchQueue.main.async {
      expect(Thread.isMainThread)
      print("done")
      exit(0)
    }
  }
}

/// Numbers that items append, on one queue.
final class Log: @unchecked Sendable {  // SAFETY: used by items of one serial queue.
  var numbers: [Int] = []
}

switch CommandLine.arguments.dropFirst().first {
case "ownLoop":
  Task { await useEverything() }
  RunLoop.main.run()
case "foundationsLoop":
  Task { await useEverything() }
  Foundation.RunLoop.main.run()
case "dispatchMain":
  Task { await useEverything() }
  dispatchMain()
case "adoptedExecutors":
  try SignalboxExecutors.adopt()
  Task { await useEverything() }
  dispatchMain()
case "bridgedQueue":
  let queue = DispatchQueue(label: "org.example.state")
  let bridged = queue.makeToolchainQueue(label: "org.example.bridged")!
  let log = Log()
  for number in 0..<1_000 {
    if number % 2 == 0 {
      queue.async { log.numbers.append(number) }
    } else {
      bridged.async {
        dispatchPrecondition(condition: .onQueue(queue))
        log.numbers.append(number)
      }
    }
  }
  expect(bridged.sync { log.numbers.count } == 1_000)
  expect(bridged.label == "org.example.bridged")
  print("done")
default: exit(64)
}
