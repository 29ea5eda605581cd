// LiveProgram — an executable built beside the tests that runs beside a test, until the test ends it.

import Glibc
package import ProgramScenarios

package final class LiveProgram {
  package let process: Int32
  private let output: Int32
  private let errors: Int32
  private var text: [UInt8] = []

  package init(_ program: ChildProgram, _ arguments: [String] = []) throws {
    (process, output, errors) = try program.start(arguments, environment: [:])
  }

  /// Starts a scenario in the program that has it.
  package convenience init(_ scenario: any ProgramScenario) throws {
    try self.init(ChildProgram(type(of: scenario).program), [scenario.rawValue])
  }

  /// Waits until the program has printed the fact, and no longer than `RealTime.wedge`.
  ///
  /// - Returns: whether it has.
  package func waitForFact(_ name: String) -> Bool {
    let deadline = Uptime.now() + RealTime.wedge
    while !String(decoding: text, as: UTF8.self).contains("\(name)=") {
      let left = deadline.since(Uptime.now())
      if left <= .zero { return false }
      var polled = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, Int32(min(left.wholeNanoseconds / 1_000_000 + 1, 1_000_000))) <= 0 {
        continue
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &piece, piece.count)
      if count == 0 { return false }
      if count > 0 { text += piece[..<count] }
    }
    return true
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
