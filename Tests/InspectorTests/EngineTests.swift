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
  private func inspectThisProcess() throws -> Inspection {
    let target = try Target(getpid())
    let engine = try #require(target.engines.first)
    return try #require(Inspection(engine, target.memory))
  }

  @Test func theTableIsNotFull() throws {
    _ = DispatchQueue(label: "a")
    let table = try #require(try Target(getpid()).engines.first).table
    #expect(!table.isFull)
    // The last structure that is described.
    #expect(table.root("queues") != nil)
  }

  @Test func everyReasonHasItsWords() throws {
    // The entries are added when the registry is made.
    _ = WaitRegistry.shared
    let table = try #require(try Target(getpid()).engines.first).table
    for reason in WaitReason.allCases {
      #expect(table.word("reason", for: UInt64(reason.rawValue)) != nil, "\(reason)")
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
    let deadline = Uptime.now() + RealTime.wedge
    var line = ""
    repeat {
      let inspection = try inspectThisProcess()
      let text = ProcessImage.text(of: inspection)
      let thread = "thread \(number.load(ordering: .sequentiallyConsistent)) "
      line = text.split(separator: "\n").first { $0.hasPrefix(thread) }.map(String.init) ?? ""
    } while !line.contains("waits") && Uptime.now() < deadline
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
      let text = ProcessImage.text(of: try inspectThisProcess())
      queue.resume()
      queue.sync {}
      #expect(
        text.contains("the queue \"\(label)\" (serial) holds 3 items; it is suspended"), "\(text)")
    }
  }
}
