// BridgesTests — one queue is one object: as the toolchain's type, as C's handle and as Signalbox's.

import Testing

@Suite struct BridgesTests {
  static let scenarios = [
    "ourQueueAsTheirs", "theirQueueAsOurs", "queuesOfEveryProcess", "queuesOfC", "lentHandles",
    "groups", "semaphores", "queuesAreFreed", "queuesThatCMadeAreFreed",
    "groupsAndSemaphoresAreFreed", "manyThreads",
  ]

  @Test(arguments: scenarios)
  func bothTypesAreOneObject(_ scenario: String) throws {
    let run = try Program(name: "BridgesProgram").run([scenario])
    #expect(run.output == "done\n" && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test func theCodeOfThePageWorks() throws {
    let run = try Program(name: "BridgesProgram").run(["article"])
    #expect(run.output == "on the same queue\ntrue\ndone\n" && run.status == 0, "\(run)")
  }

  /// A conversion, and words of the message with which it ends the program.
  static let misuses = [
    (
      "groupAsQueue",
      ["SignalboxDispatch.DispatchQueue(handle:) was called with a group where a queue"]
    ),
    (
      "queueAsGroup",
      ["SignalboxDispatch.DispatchGroup(handle:) was called with a queue where a group"]
    ),
    (
      "mainQueueAsSemaphore",
      ["SignalboxDispatch.DispatchSemaphore(handle:) was called with the main queue where a"]
    ),
    (
      "noObject",
      ["SignalboxDispatch.DispatchQueue(handle:) was called with 0x", "no object of Dispatch"]
    ),
    ("freedQueue", ["SignalboxDispatch.DispatchQueue(handle:) was called with 0x", "was freed"]),
    ("releasedTwice", ["dispatch_release was called with 0x", "was freed"]),
    ("releasedLent", ["dispatch_release of <DispatchQueue \"org.example.lent\"", "no reference"]),
  ]

  @Test(arguments: misuses)
  func anotherObjectEndsTheProgram(_ misuse: String, _ words: [String]) throws {
    let run = try Program(name: "BridgesProgram").run([misuse])
    #expect(run.isCrash && run.errors.hasPrefix("BUG IN CLIENT OF SIGNALBOX: "), "\(run)")
    for each in words { #expect(run.errors.contains(each), "\(run)") }
  }

  @Test(arguments: [
    ("ourQueue", "Dispatch.DispatchQueue(_:)"), ("ourGroup", "Dispatch.DispatchGroup(_:)"),
    ("ourSemaphore", "Dispatch.DispatchSemaphore(_:)"),
    ("theirQueue", "SignalboxDispatch.DispatchQueue(_:)"),
    ("theirMainQueue", "SignalboxDispatch.DispatchQueue(_:)"),
    ("theirGroup", "SignalboxDispatch.DispatchGroup(_:)"),
  ])
  func aProcessOnTheToolchainsDispatchLearnsWhatToDo(_ conversion: String, _ call: String) throws {
    let run = try Program(name: "HiddenDropInProgram").run([conversion])
    #expect(run.isCrash, "\(run)")
    #expect(
      run.errors.hasPrefix(
        "BUG IN CLIENT OF SIGNALBOX: \(call): the Dispatch of this process is the toolchain's"),
      "\(run)")
    #expect(run.errors.contains("Add the product SignalboxDropIn or SignalboxBridges"), "\(run)")
  }

  @Test func aProcessOnTheToolchainsDispatchCallsItsMethods() throws {
    let run = try Program(name: "HiddenDropInProgram").run(["sync"])
    #expect(run.output == "2 result 3.5\nFailure()\n" && run.status == 0, "\(run)")
  }
}
