// BusyNeighbours — processes that compute beside a test, so that the test's threads lose their
// processors at any moment.
//
// They are processes, not threads, so that the library under test does not see them. `end()` or
// `deinit` ends a neighbour; it also ends soon after the test's process is gone.

import CountedFacts
import CSystemCalls
import Glibc
import SignalboxTestSupport

final class BusyNeighbours: Sendable {
  private let processes = Guarded<[pid_t]>([])

  /// Starts the processes, and returns when all of them compute.
  init(_ count: Int = processorCount + 1) throws {
    do {
      let program = try ChildProgram(NeighbourScenario.program)
      for _ in 0..<count { try add(program.path) }
    } catch {
      end()
      throw error
    }
  }

  deinit { end() }

  private func add(_ path: String) throws {
    var ends: [Int32] = [-1, -1]
    let failure = csc_pipe(&ends)
    guard failure == 0 else { throw SystemCallFailure(call: "pipe", code: failure) }
    defer { close(ends[0]) }
    do {
      defer { close(ends[1]) }
      let process = try spawn(path, output: ends[1])
      processes.withValue { $0.append(process) }
    }
    // The process prints a line when it begins to compute.
    var polled = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    let limit = Int32(RealTime.wedge.wholeNanoseconds / 1_000_000)
    var found: Int32
    repeat { found = poll(&polled, 1, limit) } while found < 0 && errno == EINTR
    guard found == 1, !Bytes.take(1, from: ends[0]).isEmpty else {
      throw Wedge.found("a neighbour does not begin to compute")
    }
  }

  private func spawn(_ path: String, output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let words = [path, NeighbourScenario.computeBesideAParent.rawValue, "\(getpid())"]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process = pid_t()
    let result = posix_spawn(&process, path, &actions, nil, &arguments, environ)
    guard result == 0 else { throw SystemCallFailure(call: "posix_spawn \(path)", code: result) }
    return process
  }

  /// The process numbers of the running neighbours.
  var numbers: [pid_t] { processes.current }

  /// Ends the processes, and returns when all of them are gone.
  func end() {
    let ending = processes.withValue { processes in
      defer { processes = [] }
      return processes
    }
    for process in ending { kill(process, SIGKILL) }
    for process in ending { while waitpid(process, nil, 0) < 0 && errno == EINTR {} }
  }
}
