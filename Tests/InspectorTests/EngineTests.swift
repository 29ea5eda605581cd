// EngineTests — the reader and the engine agree: this process is read by itself.

import CSignalbox
import Glibc
import SignalboxDispatch
@testable import SignalboxInspector
import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite struct EngineTests {
  /// What a report says of this process. There may be a second engine in it, beneath the toolchain's
  /// libraries.
  private func textOfThisProcess() throws -> String {
    let target = try Target(getpid())
    try #require(!target.engines.isEmpty)
    return target.engines.compactMap { Inspection($0, target.memory) }
      .map(ProcessImage.text).joined(separator: "\n")
  }

  /// Reads this process until a report has the words: its queues and threads change meanwhile.
  private func waitForText(_ words: String) throws -> String {
    let deadline = Uptime.now() + RealTime.wedge
    while true {
      let text = try textOfThisProcess()
      if text.contains(words) || Uptime.now() >= deadline { return text }
    }
  }

  @Test func theTableIsNotFull() throws {
    _ = DispatchQueue(label: "a")
    let tables = try Target(getpid()).engines.map(\.table)
    #expect(!tables.isEmpty && !tables.contains(where: \.isFull))
    // The last structure that is described.
    #expect(tables.contains { $0.root("queues") != nil })
  }

  @Test func everyReasonHasItsWords() throws {
    // The entries are added when the registry is made.
    _ = WaitRegistry.shared
    let tables = try Target(getpid()).engines.map(\.table)
    for reason in WaitReason.allCases {
      let isThere = tables.contains { $0.word("reason", for: UInt64(reason.rawValue)) != nil }
      #expect(isThere, "\(reason)")
    }
  }

  @Test func aWaitOfThisProcessIsSeen() throws {
    let lock = NSLock()
    lock.name = "the lock that a test holds"
    let number = Atomic<UInt32>(0)
    lock.lock()
    let thread = try PlainThread {
      number.store(csb_thread_number(), ordering: .sequentiallyConsistent)
      lock.lock()
      lock.unlock()
    }
    let text = try waitForText("waits for the NSLock \"the lock that a test holds\"")
    let start = "thread \(number.load(ordering: .sequentiallyConsistent)) "
    let line = text.split(separator: "\n").first { $0.hasPrefix(start) } ?? ""
    lock.unlock()
    try thread.join()
    #expect(line.contains("waits for the NSLock \"the lock that a test holds\""), "\(line)")
    #expect(line.contains("held by thread \(csb_thread_number())"), "\(line)")
  }

  @Test func aQueueOfThisProcessIsSeen() throws {
    for label in ["", "short", "a label of more than fifteen bytes", "späte Grüße"] {
      let queue = DispatchQueue(label: label)
      queue.suspend()
      for _ in 0..<3 { queue.async {} }
      let words = "the queue \"\(label)\" (serial) holds 3 items; it is suspended"
      let text = try waitForText(words)
      queue.resume()
      queue.sync {}
      #expect(text.contains(words), "\(text)")
    }
  }

  /// A workloop moves its items to a list for each class before it runs one.
  @Test func theItemsOfAWorkloopAreCountedInAllItsLists() throws {
    let workloop = DispatchWorkloop(label: "a workloop that a test holds")
    let (isBusy, gate) = (Gate("busy"), Gate())
    workloop.suspend()
    workloop.async {
      isBusy.open()
      gate.pass()
    }
    for qos in [DispatchQoS.utility, .default, .background] { workloop.async(qos: qos) {} }
    workloop.resume()
    try isBusy.wait()
    for _ in 0..<2 { workloop.async {} }
    let words = "\"a workloop that a test holds\" (workloop) holds 5 items"
    let text = try waitForText(words)
    gate.open()
    workloop.sync {}
    #expect(text.contains(words), "\(text)")
  }
}
