// Journal — a program: a log that any thread writes to, with a formatter for each thread, a queue
// for the file, and a flush at the end.

import Foundation

// SAFETY: its state is guarded, as the comments below say.
final class JournalFile: @unchecked Sendable {
  static let shared = JournalFile()

  enum Level: Int, Comparable {
    case debug, info, error
    static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  // SAFETY: `handle` is used on `queue` only, `level` with `lock` held.
  private let queue = DispatchQueue(label: "journal", qos: .utility)
  private let lock = NSLock()
  private var level = Level.info
  private var handle: FileHandle?
  let url: URL

  private init() {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("journal-\(ProcessInfo.processInfo.processIdentifier).txt")
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    handle = try? FileHandle(forWritingTo: url)
  }

  /// A formatter is not made again for each line, and no two threads share one.
  private var formatter: DateFormatter {
    let key = "journal.formatter"
    if let kept = Thread.current.threadDictionary[key] as? DateFormatter { return kept }
    let made = DateFormatter()
    made.dateFormat = "yyyy"
    made.timeZone = TimeZone(secondsFromGMT: 0)
    Thread.current.threadDictionary[key] = made
    return made
  }

  func minimum(_ level: Level) { lock.withLock { self.level = level } }

  func log(_ text: String, _ level: Level = .info) {
    guard lock.withLock({ level >= self.level }) else { return }
    let year = formatter.string(from: Date(timeIntervalSince1970: 0))
    let place = Thread.isMainThread ? "main" : "other"
    queue.async { [self] in
      handle?.write(Data("\(year) [\(place)] \(text)\n".utf8))
    }
  }

  func flush() {
    queue.sync {
      try? handle?.synchronize()
      try? handle?.close()
      handle = nil
    }
  }
}

enum Journal {
  static func run() {
    let journal = JournalFile.shared
    journal.log("begun")
    journal.log("too fine", .debug)
    let threads = DispatchGroup()
    for number in 0..<3 {
      threads.enter()
      Thread.detachNewThread {
        journal.log("from thread \(number)", .error)
        journal.log("again from thread \(number)")
        threads.leave()
      }
    }
    DispatchQueue.concurrentPerform(iterations: 4) { journal.log("iteration \($0)", .error) }
    threads.wait()
    journal.minimum(.error)
    journal.log("no longer told")
    journal.flush()
    let text = (try? String(contentsOf: journal.url, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { !$0.contains("iteration") }
    for line in lines.sorted() { print(line) }
    print(text.split(separator: "\n").count)
    try? FileManager.default.removeItem(at: journal.url)
  }
}
