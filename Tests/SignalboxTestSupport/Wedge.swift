// Wedge — the report about something that is stuck.

package import Glibc
import SignalboxDispatch

/// The error for an event that a test waited for and that did not occur.
package struct Wedge: Error, CustomStringConvertible {
  package let description: String

  /// Prints the report and returns the error to throw.
  package static func found(
    _ what: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Wedge {
    let text = "stuck after \(RealTime.wedge) at \(file):\(line): \(what)"
    StandardError.print(report(text))
    return Wedge(description: text)
  }

  /// Prints the report and ends the process.
  package static func fatal(
    _ what: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Never {
    StandardError.print(report("stuck for good at \(file):\(line): \(what)"))
    abort()
  }

  /// Returns a report with the reason, the running tests, the kernel's state of each thread,
  /// and the library's list of who waits for what.
  package static func report(_ reason: String) -> String {
    var lines = ["WEDGED: \(reason)"]
    lines += WedgeDetector.runningTests.map { "  test running: \($0)" }
    lines += ThreadCensus.threads().map { "  thread \($0)" }
    lines += BlockedReport.text().split(separator: "\n").map { "  \($0)" }
    return lines.joined(separator: "\n")
  }
}

/// The kernel's information about the threads of a process.
package enum ThreadCensus {
  package struct Thread: Sendable, CustomStringConvertible {
    package let number: Int
    package let name: String
    package let state: String
    package let waitChannel: String
    /// How often it gave its processor up, and how often it lost it.
    package let switches: String
    /// The nanoseconds that it ran.
    package let processorTime: String

    package var description: String {
      "\(number) \(name): \(state), in \(waitChannel), ran for \(processorTime) ns, "
        + "\(switches) switches"
    }
  }

  package static func threads(of process: pid_t = getpid()) -> [Thread] {
    guard let directory = opendir("/proc/\(process)/task") else { return [] }
    defer { closedir(directory) }
    var threads: [Thread] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let number = Int(name) else { continue }
      let folder = "/proc/\(process)/task/\(number)/"
      let status = contents(ofFile: folder + "status") ?? ""
      func word(_ name: String) -> String {
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line.map {
          String($0.dropFirst(name.utf8.count + 1).drop { $0 == "\t" || $0 == " " })
        }
          ?? "gone"
      }
      let times = contents(ofFile: folder + "schedstat")?.split(separator: " ")
      threads.append(
        Thread(
          number: number,
          name: contents(ofFile: folder + "comm").map { String($0.dropLast()) } ?? "gone",
          state: word("State"), waitChannel: contents(ofFile: folder + "wchan") ?? "unknown",
          switches: "\(word("voluntary_ctxt_switches"))+\(word("nonvoluntary_ctxt_switches"))",
          processorTime: times?.first.map(String.init) ?? "unknown"))
    }
    return threads.sorted { $0.number < $1.number }
  }

  package static func contents(ofFile path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      bytes += chunk[0..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
