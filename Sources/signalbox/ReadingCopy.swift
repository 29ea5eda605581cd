// ReadingCopy — a copy of this process that reads from other processes, and can be ended if that takes too long.
//
// If a process serves its own page faults, a reader of its memory waits in the kernel for that
// process. Only a signal that ends the reader ends this wait.

import CSignalboxTool
import Glibc

struct ReadingCopy {
  private let process: Int32
  private let reader: Int32
  private var rest: [UInt8] = []

  /// What came from the copy.
  enum Answer {
    case line(String)
    case end
    case timeOut
  }

  /// Starts the copy. It calls `body` with a function that answers with one line, and then ends.
  init(_ body: (_ answer: (String) -> Void) -> Void) {
    var ends: (reader: Int32, writer: Int32) = (-1, -1)
    process = csb_tool_start_copy(&ends.reader, &ends.writer)
    if process < 0 {
      fail("no process could be started: \(String(cString: strerror(-process)))", status: 1)
    }
    if process == 0 {
      body { line in
        let bytes = Array((line + "\n").utf8)
        // Nobody reads the answers any more, so there is nothing left to do.
        if write(ends.writer, bytes, bytes.count) != bytes.count { exit(1) }
      }
      exit(0)
    }
    reader = ends.reader
  }

  /// The next line, within this time in seconds.
  mutating func next(within seconds: UInt32) -> Answer {
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeFirst(end + 1)
        return .line(line)
      }
      let count = csb_tool_read_within(reader, &piece, UInt(piece.count), seconds)
      if count == -Int(ETIME) { return .timeOut }
      if count <= 0 { return .end }
      rest += piece[..<count]
    }
  }

  /// Passes the signals of the terminal on to the copy until its end.
  func receivesInterrupts() { csb_tool_pass_interrupts_to(process) }

  /// Waits for the copy's end, or ends it. Returns its status; nil if it did not end by itself.
  @discardableResult
  func end(byForce: Bool) -> Int32? {
    let status = csb_tool_end_copy(process, byForce ? 1 : 0)
    csb_tool_pass_interrupts_to(0)
    close(reader)
    return status < 0 ? nil : status
  }
}
