import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct ProcessTests {
  @Test func theEndOfAChildIsReported() throws {
    let ended = EventLog<Int32>()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exit 3"]
    process.terminationHandler = { process in ended.append(process.terminationStatus) }
    try process.run()
    #expect(try ended.wait(forCount: 1) == [3])
  }

  @Test func aThreadWaitsForAChild() throws {
    let status = try onPlainThread {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "exit 4"]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    #expect(status == 4)
  }
}
