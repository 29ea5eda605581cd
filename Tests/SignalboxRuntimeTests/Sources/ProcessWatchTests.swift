// ProcessWatchTests — the order of a watch's reports. The tests' threads are the pollers, and
// sockets take the place of the kernel's descriptors.

import CSystemCalls
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxRuntime

@Suite("ProcessWatch", .guarded) struct ProcessWatchTests {
  /// A watch of a process that the test plays. The driver does not know its descriptors.
  private struct PlayedProcess {
    let watch: ProcessWatch
    let end: DescriptorWatch
    let deeds: DescriptorWatch
    private let connector: Int32

    init() throws {
      var pipe: [Int32] = [-1, -1]
      try #require(csc_pipe(&pipe) == 0)
      close(pipe[1])
      var sockets: [Int32] = [-1, -1]
      try #require(csc_socket_pair(&sockets, 1) == 0)
      connector = sockets[1]
      let watch = ProcessWatch(1)
      end = DescriptorWatch(pipe[0], for: .readable, client: watch)
      deeds = DescriptorWatch(sockets[0], for: .readable, client: watch)
      self.watch = watch
    }

    /// Sends what the kernel's process connector sends about a fork or an exec. Of its message
    /// (linux/connector.h, linux/cn_proc.h) the watch reads only the length and the kind, which
    /// comes after two headers.
    func does(_ kind: Kind) throws {
      var message = [UInt8](repeating: 0, count: 76)
      message[36] = kind.rawValue
      try #require(send(connector, message, message.count, 0) == message.count)
    }

    enum Kind: UInt8 {
      case fork = 1
      case exec = 2
    }

    /// Another poller finds that a descriptor is ready.
    func pollElsewhere(_ ready: DescriptorWatch) throws {
      try runThreads(1) { [watch] _ in watch.isReady(ready, .readable) }
    }

    /// Closes the descriptors.
    func stop() {
      watch.end()
      close(connector)
    }
  }

  private enum Step: Equatable, Sendable {
    case begins(ProcessWatch.Deeds), returns, ends
  }

  /// Notes its calls. Within the first call of `processDid` something else happens.
  private final class NotingProcessClient: ProcessClient {
    let steps = EventLog<Step>()
    private let meanwhile: @Sendable () throws -> Void

    init(_ meanwhile: @escaping @Sendable () throws -> Void) { self.meanwhile = meanwhile }

    func processDid(_ deeds: ProcessWatch.Deeds) {
      let isFirst = steps.count == 0
      steps.append(.begins(deeds))
      if isFirst {
        do { try meanwhile() } catch { Issue.record(error) }
      }
      steps.append(.returns)
    }

    func processEnded() { steps.append(.ends) }
  }

  @Test func anEndIsReportedAfterTheForkThatAnotherPollerIsLateWith() throws {
    let process = try PlayedProcess()
    defer { process.stop() }
    let client = NotingProcessClient { try process.pollElsewhere(process.end) }
    process.watch.hold(process.end, process.deeds, for: client)
    try process.does(.fork)
    process.watch.isReady(process.deeds, .readable)
    #expect(client.steps.all == [.begins(.fork), .returns, .ends])
  }

  @Test func whatOtherPollersFindIsReportedOneAfterTheOther() throws {
    let process = try PlayedProcess()
    defer { process.stop() }
    let client = NotingProcessClient {
      try process.does(.fork)
      try process.pollElsewhere(process.deeds)
      try process.does(.exec)
      // The poller that finds the end reads the last exec too.
      try process.pollElsewhere(process.end)
    }
    process.watch.hold(process.end, process.deeds, for: client)
    try process.does(.exec)
    process.watch.isReady(process.deeds, .readable)
    #expect(
      client.steps.all == [.begins(.exec), .returns, .begins([.fork, .exec]), .returns, .ends])
  }

  /// After the first poller has told everything, the next one tells.
  @Test func eachPollerTellsIfNoOtherDoes() throws {
    let process = try PlayedProcess()
    defer { process.stop() }
    let client = NotingProcessClient {}
    process.watch.hold(process.end, process.deeds, for: client)
    for kind in [PlayedProcess.Kind.fork, .exec] {
      try process.does(kind)
      process.watch.isReady(process.deeds, .readable)
    }
    // Nothing has happened.
    process.watch.isReady(process.deeds, .readable)
    #expect(client.steps.all == [.begins(.fork), .returns, .begins(.exec), .returns])
    process.watch.isReady(process.end, .readable)
    #expect(client.steps.all == [.begins(.fork), .returns, .begins(.exec), .returns, .ends])
  }

  /// The client ends the watch from its own call, or another thread does during the call.
  @Test(arguments: [false, true])
  func nothingIsReportedAfterTheWatchHasEnded(_ isElsewhere: Bool) throws {
    let process = try PlayedProcess()
    defer { process.stop() }
    let client = NotingProcessClient { [watch = process.watch] in
      try process.does(.exec)
      try process.pollElsewhere(process.end)
      if isElsewhere { try runThreads(1) { _ in watch.end() } } else { watch.end() }
    }
    process.watch.hold(process.end, process.deeds, for: client)
    try process.does(.fork)
    process.watch.isReady(process.deeds, .readable)
    process.watch.isReady(process.deeds, .readable)
    process.watch.isReady(process.end, .readable)
    #expect(client.steps.all == [.begins(.fork), .returns])
  }
}
