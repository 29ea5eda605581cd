// File-system-object and memory-pressure sources that cannot be: a trap for what is never
// right, words on standard error and the cancel handler for what the system refuses.

import CSignalbox
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("File and pressure source misuse", .guarded)
struct FileSourceTests {
  @Test func aNegativeDescriptorTraps() async throws {
    let result = try await #require(
      processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = DispatchSource.makeFileSystemObjectSource(fileDescriptor: -1, eventMask: .write)
      Trap.notReached()
    }
    Trap.expect(
      result.standardErrorContent, says: "makeFileSystemObjectSource", "-1", "0 or more")
  }

  /// Activates a source that is refused, and ends the process well if it is cancelled, its
  /// cancel handler called and nothing else.
  static func expectRefusal(
    _ descriptor: Int32, _ mask: DispatchSource.FileSystemEvent = .all
  ) -> Never {
    Trap.arm()
    let queue = DispatchQueue(label: "org.signalbox.tests.refused")
    let source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor, eventMask: mask, queue: queue)
    let ended = DispatchSemaphore(value: 0)
    source.setEventHandler { exit(3) }
    source.setRegistrationHandler { exit(4) }
    source.setCancelHandler { ended.signal() }
    source.activate()
    ended.wait()
    exit(source.isCancelled ? EXIT_SUCCESS : 5)
  }

  private func expect(_ output: [UInt8], says words: String...) {
    let text = String(decoding: output, as: UTF8.self)
    for word in words { #expect(text.contains(word), "\(text)") }
    // Without a descriptor it cannot look at the limits on processor time either, at which it
    // looks once a second: it says so if the process lives that long.
    let said = text.split(separator: "\n").filter {
      $0.contains("SIGNALBOX: ") && !$0.contains("this limit on processor time is ignored")
    }
    #expect(said.count == 1, "\(text)")
  }

  @Test func aClosedDescriptorIsRefused() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { FileSourceTests.expectRefusal(777) }
    expect(
      result.standardErrorContent, says: "file-system-object source for descriptor 777",
      "the descriptor is not open", "the source is cancelled")
  }

  @Test func aPipeIsRefused() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      FileSourceTests.expectRefusal(ends[0])
    }
    expect(result.standardErrorContent, says: "it is a pipe", "read or write source")
  }

  @Test func aSocketIsRefused() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      FileSourceTests.expectRefusal(
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    }
    expect(result.standardErrorContent, says: "a socket", "read or write source")
  }

  /// All of them share one file that belongs to none of them.
  @Test func anEventDescriptorIsRefused() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { FileSourceTests.expectRefusal(csb_eventfd_create()) }
    expect(result.standardErrorContent, says: "another descriptor without a file")
  }

  @Test func locksAloneAreRefused() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { FileSourceTests.expectRefusal(open("/", O_RDONLY), .funlock) }
    expect(result.standardErrorContent, says: "does not report released locks", ".funlock")
  }

  @Test func anEmptyMaskIsRefused() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { FileSourceTests.expectRefusal(open("/", O_RDONLY), []) }
    expect(result.standardErrorContent, says: "no event that the kernel reports")
  }

  /// EMFILE: no descriptor is left for inotify.
  @Test func withoutAFreeDescriptorTheReasonIsReported() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let file = open("/", O_RDONLY)
      // The engine's own descriptors are there.
      let due = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now()) { due.signal() }
      due.wait()
      // The usual limit may be in the millions.
      var limit = rlimit(rlim_cur: 256, rlim_max: 256)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while dup(file) >= 0 {}
      FileSourceTests.expectRefusal(file)
    }
    expect(
      result.standardErrorContent, says: "too many descriptors are open", "(errno \(EMFILE))")
  }
}
