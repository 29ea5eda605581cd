// ProcessSourceTests — process sources.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Process sources", .guarded)
struct ProcessSourceTests {
  /// A child that reads a line and then does what its script says.
  struct Child {
    let id: pid_t
    let input: Int32

    init(_ script: String) throws {
      var ends: [Int32] = [-1, -1]
      // Close-on-exec from the beginning, because another test may start a child at any moment.
      try #require(csc_pipe(&ends) == 0)
      defer { close(ends[0]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
      // The thread that runs a test may block signals, and a shell that does not receive
      // SIGCHLD hangs.
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      let words: [String] = ["/bin/sh", "-c", "read line; \(script)"]
      var arguments = words.map { strdup($0) } + [nil]
      defer { arguments.forEach { free($0) } }
      var id = pid_t()
      let result = posix_spawn(&id, "/bin/sh", &actions, &attributes, &arguments, environ)
      try #require(result == 0)
      self.id = id
      input = ends[1]
    }

    /// Lets the child continue.
    func release() {
      _ = write(input, "\n", 1)
      close(input)
    }

    /// Waits for the child's end and reaps it.
    func status() -> Int32 {
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      return status
    }

    /// Waits for the child's end without reaping it.
    func waitUntilEnded() {
      var information = siginfo_t()
      while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    }
  }

  /// A source, and the events that it reported.
  struct Watched {
    let source: any DispatchSourceProcess
    let told = EventLog<DispatchSource.ProcessEvent>()
    let calls = EventCounter("calls")
    let ends = EventCounter("cancel handlers")

    init(_ process: pid_t, _ events: DispatchSource.ProcessEvent) {
      source = DispatchSource.makeProcessSource(identifier: process, eventMask: events)
      source.setEventHandler { [told, calls, weak sourceObject = source as? DispatchSource] in
        let process: (any DispatchSourceProcess)? = sourceObject
        told.append(process?.data ?? [])
        calls.increment()
      }
      source.setCancelHandler { [ends] in ends.increment() }
      source.activate()
    }
  }

  @Test func theEventsHaveApplesNumbers() {
    #expect(DispatchSource.ProcessEvent.exit.rawValue == 0x8000_0000)
    #expect(DispatchSource.ProcessEvent.fork.rawValue == 0x4000_0000)
    #expect(DispatchSource.ProcessEvent.exec.rawValue == 0x2000_0000)
    #expect(DispatchSource.ProcessEvent.signal.rawValue == 0x0800_0000)
    #expect(DispatchSource.ProcessEvent.all == [.exit, .fork, .exec, .signal])
  }

  @Test func theEndOfAChildIsReportedOnceAndItsStatusIsLeftToTheProgram() throws {
    let child = try Child("exit 7")
    let watched = Watched(child.id, .exit)
    #expect(watched.source.handle == child.id)
    #expect(watched.source.mask == .exit)
    letRealTimePass(RealTime.settling)
    #expect(watched.calls.value == 0)
    child.release()
    try watched.calls.wait(for: 1)
    #expect(watched.told.all == [.exit])
    #expect(child.status() == 7 << 8)
    watched.source.cancel()
    try watched.ends.wait(for: 1)
    #expect(watched.calls.value == 1)
  }

  @Test func anEndBySignalIsReportedToo() throws {
    let child = try Child("true")
    let watched = Watched(child.id, .exit)
    kill(child.id, SIGKILL)
    try watched.calls.wait(for: 1)
    #expect(child.status() == SIGKILL)
    close(child.input)
    watched.source.cancel()
  }

  @Test func aProcessThatHasEndedIsReportedAtOnce() throws {
    let child = try Child("exit 3")
    child.release()
    child.waitUntilEnded()
    let zombie = Watched(child.id, .exit)
    try zombie.calls.wait(for: 1)
    #expect(child.status() == 3 << 8)
    // Apple's source reports the end of a process that does not exist, which may have been
    // reaped.
    let gone = Watched(child.id, .exit)
    try gone.calls.wait(for: 1)
    #expect(gone.told.all == [.exit])
    for watched in [zombie, gone] {
      watched.source.cancel()
      try watched.ends.wait(for: 1)
      #expect(watched.calls.value == 1)
    }
  }

  @Test func aProcessThatIsNotAChildIsWatchedAsWell() throws {
    let folder = try TemporaryFolder()
    let fifo = "\(folder.path)/pid"
    mkfifo(fifo, 0o600)
    let child = try Child("sleep 1000 & echo $! >\(fifo); wait")
    child.release()
    let file = try #require(fopen(fifo, "r"))
    var grandchild: Int32 = 0
    var line = [CChar](repeating: 0, count: 32)
    if fgets(&line, 32, file) != nil { grandchild = atoi(line) }
    fclose(file)
    try #require(grandchild > 1)
    let watched = Watched(grandchild, .exit)
    letRealTimePass(RealTime.settling)
    #expect(watched.calls.value == 0)
    kill(grandchild, SIGKILL)
    try watched.calls.wait(for: 1)
    _ = child.status()
    watched.source.cancel()
  }

  @Test func eachOfSeveralSourcesIsCalled() throws {
    let child = try Child("true")
    let all = (0..<3).map { _ in Watched(child.id, .exit) }
    all[0].source.cancel()
    try all[0].ends.wait(for: 1)
    child.release()
    for watched in all.dropFirst() { try watched.calls.wait(for: 1) }
    #expect(child.status() == 0)
    #expect(all[0].calls.value == 0)
    for watched in all.dropFirst() { watched.source.cancel() }
  }

  @Test func anEndDuringASuspensionIsReportedAfterwards() throws {
    let child = try Child("true")
    let watched = Watched(child.id, .exit)
    watched.source.suspend()
    child.release()
    child.waitUntilEnded()
    letRealTimePass(RealTime.settling)
    #expect(watched.calls.value == 0)
    watched.source.resume()
    try watched.calls.wait(for: 1)
    #expect(child.status() == 0)
    watched.source.cancel()
  }

  // MARK: Forks and execs

  /// Whether this process may listen to the process connector.
  static let hearsForks: Bool = {
    let socket = csb_process_events_open(getpid(), CSB_PROCESS_FORKED)
    if socket >= 0 { csb_process_events_close(socket) }
    return socket >= 0
  }()

  @Test(.enabled(if: hearsForks)) func forksAndExecsAreReportedBeforeTheEnd() throws {
    let child = try Child("/bin/true; exec /bin/true")
    let other = try Child("/bin/true; exec /bin/true")
    let watched = Watched(child.id, [.fork, .exec, .exit])
    let silent = Watched(child.id, .exit)
    let forks = Watched(other.id, .fork)
    child.release()
    try silent.calls.wait(for: 1)
    var calls = 0
    repeat {
      calls += 1
      try watched.calls.wait(for: calls)
    } while !watched.told.all.contains { $0.contains(.exit) }
    var all: DispatchSource.ProcessEvent = []
    for events in watched.told.all {
      #expect(!all.contains(.exit))
      all.formUnion(events)
    }
    #expect(all == [.fork, .exec, .exit])
    #expect(silent.told.all == [.exit])
    // The source does not report another process's events.
    #expect(forks.calls.value == 0)
    other.release()
    try forks.calls.wait(for: 1)
    #expect(Set(forks.told.all.map(\.rawValue)) == [DispatchSource.ProcessEvent.fork.rawValue])
    #expect(child.status() == 0)
    #expect(other.status() == 0)
    for each in [watched, silent, forks] { each.source.cancel() }
  }

  /// Apple's mask of all events includes one that Linux does not have.
  @Test func aSourceForAllEventsReportsWhatTheKernelReports() throws {
    let child = try Child("/bin/true; exit 3")
    let watched = Watched(child.id, .all)
    #expect(watched.source.mask == .all)
    child.release()
    var calls = 0
    repeat {
      calls += 1
      try watched.calls.wait(for: calls)
    } while !watched.told.all.contains { $0.contains(.exit) }
    let all = watched.told.all.reduce(into: DispatchSource.ProcessEvent()) { $0.formUnion($1) }
    #expect(all.subtracting(.exec) == (Self.hearsForks ? [.fork, .exit] : .exit))
    #expect(!watched.source.isCancelled)
    #expect(child.status() == 3 << 8)
    watched.source.cancel()
    try watched.ends.wait(for: 1)
  }

  /// A program that names a signal must not wait for it forever.
  @Test func aSourceThatNamesSignalsIsRefused() throws {
    let child = try Child("true")
    let watched = Watched(child.id, [.signal, .exit])
    try watched.ends.wait(for: 1)
    child.release()
    #expect(child.status() == 0)
    #expect(watched.calls.value == 0)
  }

  @Test(.disabled(if: hearsForks)) func sourcesForForksAreRefusedIfTheKernelDoesNotReportThem()
    throws
  {
    let child = try Child("true")
    let watched = Watched(child.id, [.fork, .exit])
    try watched.ends.wait(for: 1)
    #expect(watched.source.isCancelled)
    child.release()
    #expect(child.status() == 0)
    #expect(watched.calls.value == 0)
  }
}
