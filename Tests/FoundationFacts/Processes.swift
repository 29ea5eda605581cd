// Processes — the end of a child, as Foundation reports it. Each runs in a program of its own:
// Foundation notices the end by a socket that any other child inherits if it is started at the same
// moment.

import SignalboxFoundation

let processScenarios: [String: Scenario] = [
  "the-end-of-a-child-is-reported": {
    let isReported = DispatchSemaphore(value: 0)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exit 3"]
    process.terminationHandler = { _ in isReported.signal() }
    try! process.run()
    isReported.wait()
    report("status", process.terminationStatus)
  },

  "a-thread-waits-for-a-child": {
    let isOver = DispatchSemaphore(value: 0)
    startThread {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "exit 4"]
      try! process.run()
      process.waitUntilExit()
      report("status", process.terminationStatus)
      isOver.signal()
    }
    isOver.wait()
  },
]
