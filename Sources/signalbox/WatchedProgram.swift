// WatchedProgram — a program that runs as a child of this process, which reports its stalls.
//
// The program shares the terminal, the descriptors and the process group of this process. A signal
// to this process is passed on, and the status is the program's. The program's memory is read from
// outside, so the program needs no code for that, and may hang.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct WatchedProgram {
  /// In nanoseconds.
  private let limit: UInt64
  private let process: Int32
  private let start = UInt64(csb_tool_uptime())
  private var watch: StallWatch
  private var hasWarned = false

  /// How long a look at the program may take, in seconds.
  private static let longestLook: UInt32 = 5

  /// Starts the program, or ends with a message.
  init(_ path: String, _ command: [String], limit: UInt64) {
    self.limit = limit
    watch = StallWatch(limit: limit)
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    process = csb_tool_start_program(path, &words)
    if process < 0 { fail("\(path): \(String(cString: strerror(-process)))", status: 126) }
  }

  /// Ten looks within the limit, but at least one and at most twenty each second.
  private var pause: Int32 { Int32(min(max(limit / 10_000_000, 50), 1000)) }

  mutating func attend() -> Never {
    var status: Int32 = 0
    while csb_tool_attend_program(process, pause, &status) == 0 { look() }
    csb_tool_end_like_program(status)
  }

  private mutating func look() {
    let process = process
    var marks: [StallMark] = []
    var refusal: String?
    var copy = ReadingCopy { answer in
      do throws(InspectionRefusal) {
        for mark in try Target.report(of: process, hasStacks: false).stallMarks {
          answer(mark.line)
        }
        answer("end")
      } catch {
        answer("refused " + error.text)
      }
    }
    while case .line(let line) = copy.next(within: WatchedProgram.longestLook) {
      if line == "end" { break }
      if let mark = StallMark(line: line) { marks.append(mark) } else { refusal = line }
    }
    copy.end(byForce: true)
    let now = UInt64(csb_tool_uptime())
    if let refusal { return warn(refusal, now) }
    let new = watch.look(marks, at: now)
    if !new.isEmpty { report(new) }
  }

  /// Tells once why no stall can be seen, if the program has had time to begin.
  private mutating func warn(_ refusal: String, _ now: UInt64) {
    guard !hasWarned, now - start >= limit else { return }
    hasWarned = true
    tell("no stall can be seen: \(refusal.dropFirst("refused ".count))")
  }

  private func report(_ stalls: [StallMark]) {
    let time = "\(limit / 1_000_000) ms"
    let words = stalls.prefix(3).map { "\($0.words) for \(time)" }.joined(separator: "; ")
    let more = stalls.count > 3 ? "; and \(stalls.count - 3) more" : ""
    var copy = ReadingCopy { _ in
      do throws(InspectionRefusal) {
        let text = try Target.report(of: process).text
        tell("process \(process) makes no progress: \(words)\(more)\n\(text.dropLast())")
      } catch {
        tell("process \(process) makes no progress: \(words)\(more); \(error.text)")
      }
    }
    if case .timeOut = copy.next(within: inspectionLimit) {
      copy.end(byForce: true)
    } else {
      copy.end(byForce: false)
    }
  }
}
