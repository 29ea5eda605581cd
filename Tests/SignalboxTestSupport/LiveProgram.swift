// LiveProgram — an executable built beside the tests that runs beside a test, until the test ends it.

import Glibc
package import ProgramScenarios

package final class LiveProgram {
  package let process: Int32
  private let output: Int32
  private let errors: Int32
  private var bytes: [UInt8] = []

  /// What the program has printed before the last fact that was waited for.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package init(
    _ program: ChildProgram, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws {
    (process, output, errors) = try program.start(arguments, environment: environment)
  }

  /// Starts a scenario in the program that has it.
  package convenience init(
    _ scenario: any ProgramScenario, environment: [String: String] = [:]
  ) throws {
    try self.init(
      ChildProgram(type(of: scenario).program), [scenario.rawValue], environment: environment)
  }

  /// Waits until the program has printed the fact so often, and no longer than `RealTime.wedge`.
  ///
  /// - Returns: whether it has.
  package func waitForFact(_ name: String, times: Int = 1) -> Bool {
    wait { $0.ranges(of: "\(name)=").count >= times }
  }

  /// Waits likewise for a whole line of standard output.
  ///
  /// - Returns: the first line that has these words; nil if the program prints none.
  package func line(containing words: String) -> String? {
    var found: String?
    _ = wait { text in
      // What is behind the last end of a line is not complete.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      found = lines.first { $0.contains(words) }.map(String.init)
      return found != nil
    }
    return found
  }

  private func wait(until condition: (String) -> Bool) -> Bool {
    let deadline = Uptime.now() + RealTime.wedge
    while !condition(text) {
      let left = deadline.since(Uptime.now())
      if left <= .zero { return false }
      var polled = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, Int32(min(left.wholeNanoseconds / 1_000_000 + 1, 1_000_000))) <= 0 {
        continue
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &piece, piece.count)
      if count == 0 { return false }
      if count > 0 { bytes += piece[..<count] }
    }
    return true
  }

  /// Waits for the program's end and returns its status; -1 if a signal ended it. A program that outlives
  /// `RealTime.life` is killed.
  package func status() -> Int32 {
    var information = siginfo_t()
    let deadline = Uptime.now() + RealTime.life
    // The process stays in the list until `deinit`.
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) < 0
      || information.si_signo == 0
    {
      if Uptime.now() >= deadline { kill(process, SIGKILL) }
      usleep(1000)
    }
    return information.si_code == CLD_EXITED ? information._sifields._sigchld.si_status : -1
  }

  /// Sends a signal.
  package func send(_ signal: Int32) { kill(process, signal) }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    close(output)
    close(errors)
  }
}
