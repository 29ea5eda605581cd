// ThreadNameTests — names are complete, correct from any thread, and as long in the kernel's list as
// it allows.

import CSignalbox
import Glibc
import SignalboxDiagnostics
import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite(.guarded) struct ThreadNameTests {
  /// Returns the name of the thread with this number in the kernel's list.
  private func kernelName(_ thread: Int) throws -> String {
    let text = ThreadCensus.contents(ofFile: "/proc/self/task/\(thread)/comm")
    return try #require(text?.split(separator: "\n").first.map { String($0) })
  }

  /// A thread that reports its number and stays until it is asked to end.
  private struct Staying {
    let thread: JoinableThread<Void, Never>
    let number: Int
    let mayEnd: Gate

    init(name: String? = nil) throws {
      let number = Guarded<Int?>(nil)
      let mayEnd = Gate()
      thread = JoinableThread {
        number.withValue { $0 = kernelThreadNumber() }
        mayEnd.pass()
      }
      thread.name = name
      thread.start()
      guard number.wait(limit: RealTime.wedge, until: { $0 != nil }) else {
        throw Wedge.found("starting a thread")
      }
      self.number = number.current!
      self.mayEnd = mayEnd
    }

    func end() {
      mayEnd.open()
      thread.join()
    }
  }

  @Test func aNameSetBeforeTheStartIsKept() throws {
    let staying = try Staying(name: "before")
    #expect(staying.thread.name == "before")
    #expect(try kernelName(staying.number) == "before")
    staying.end()
    #expect(staying.thread.name == "before")
  }

  @Test func aNameSetByAnotherThreadAppliesToTheThread() throws {
    let staying = try Staying()
    let other = try Staying(name: "other")
    #expect(staying.thread.name == nil)
    staying.thread.name = "from outside"
    #expect(staying.thread.name == "from outside")
    #expect(try kernelName(staying.number) == "from outside")
    #expect(other.thread.name == "other")
    #expect(try kernelName(other.number) == "other")
    staying.thread.name = nil
    #expect(staying.thread.name == nil)
    #expect(try kernelName(staying.number) != "from outside")
    staying.end()
    other.end()
  }

  @Test(arguments: [
    ("fifteen bytes !", "fifteen bytes !"), ("sixteen bytes ok", "sixteen bytes o"),
    ("ääääääää", "äääääää"), ("👩‍👩‍👧 family", ""), ("a👩‍👩‍👧", "a"),
    (String(repeating: "long ", count: 200), "long long long "), ("nul\0byte", "nul"),
  ])
  func theKernelsListShowsATruncatedName(_ name: String, _ shown: String) throws {
    let staying = try Staying(name: name)
    #expect(staying.thread.name == name)
    #expect(ThreadName.kernelForm(of: name) == shown)
    if !shown.isEmpty { #expect(try kernelName(staying.number) == shown) }
    staying.thread.name = "plain"
    staying.thread.name = name
    if !shown.isEmpty { #expect(try kernelName(staying.number) == shown) }
    staying.end()
  }

  @Test func aThreadNamesItself() throws {
    let thread = JoinableThread {
      Thread.current.name = "self-made"
      return Thread.current.name
    }
    thread.start()
    #expect(thread.join() == "self-made")
    #expect(thread.name == "self-made")
  }

  @Test func aForeignThreadHasTheNameThatItWasGiven() throws {
    try runThreads(1) { _ in
      csb_thread_set_name("posix")
      #expect(Thread.current.name == "posix")
      Thread.current.name = "a name that is longer than fifteen bytes"
      #expect(Thread.current.name == "a name that is longer than fifteen bytes")
    }
  }

  @Test func aThreadDoesNotInheritAName() throws {
    let child = Guarded<String?>(nil)
    let thread = JoinableThread {
      let inner = JoinableThread { kernelThreadNumber() }
      let name = JoinableThread {
        ThreadCensus.contents(ofFile: "/proc/thread-self/comm") ?? "unread"
      }
      inner.start()
      name.start()
      _ = inner.join()
      let text = name.join()
      child.withValue { $0 = text }
    }
    thread.name = "parent"
    thread.start()
    thread.join()
    #expect(child.current != "parent\n")
    #expect(child.current != nil)
  }

  @Test func theMainThreadHasTheProcesssName() throws {
    let inKernel = try #require(ThreadCensus.contents(ofFile: "/proc/self/comm"))
    #expect(try #require(Thread.main.name) + "\n" == inKernel)
  }

  @Test func messagesHaveTheWholeName() throws {
    let name = "a name that the kernel's list has no room for"
    let thread = JoinableThread { ThreadName.of(Thread.current.record.number) }
    thread.name = name
    thread.start()
    #expect(thread.join().contains("\"\(name)\""))
  }

  @Test func everyThreadIsListed() throws {
    let staying = try Staying(name: "listed by its whole name")
    let found = try #require(
      ThreadSurvey.threads().first { $0.name == "listed by its whole name" })
    #expect(found.kernelID == staying.number)
    #expect(found.number != 0)
    staying.end()
    #expect(!ThreadRegistry.shared.records.contains { Int($0.number) == found.number })
  }
}
