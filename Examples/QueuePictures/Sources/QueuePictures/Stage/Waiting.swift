// Waiting — asks who waits and what runs, for scenes in which one thing must not happen before
// another one is waited for. A report says it; no time is guessed.

import Glibc
import SignalboxTrace

enum Waiting {
  /// Whether the main thread waits in `sync`.
  static var mainIsInSync: Bool {
    SignalboxReport.now.threads.contains { $0.isMain && $0.wait?.reason.contains("sync") == true }
  }

  /// Whether the main thread sleeps, waiting for what has this name.
  ///
  /// It says for what before it has its wait recorded. Asleep, it has done both.
  static func mainSleeps(for name: String) -> Bool {
    SignalboxReport.now.threads.contains {
      $0.isMain && $0.wait?.resource.contains("\"\(name)\"") == true
    } && mainIsAsleep
  }

  /// Whether some thread sleeps, waiting for what has this name.
  static func somebodySleeps(for name: String) -> Bool {
    SignalboxReport.now.threads.contains {
      $0.wait?.resource.contains("\"\(name)\"") == true && isAsleep(Int($0.kernelID))
    }
  }

  // The first thread's number is the process's.
  private static var mainIsAsleep: Bool { isAsleep(Int(getpid())) }

  private static func isAsleep(_ thread: Int) -> Bool {
    guard let file = fopen("/proc/self/task/\(thread)/stat", "r") else { return false }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    guard fgets(&line, Int32(line.count), file) != nil else { return false }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The state stands behind the name, which is in parentheses and may have any letters.
    return text.split(separator: ")").last?.hasPrefix(" S") ?? false
  }

  /// How many items of the queue run; nil if the report knows no such queue.
  static func running(on label: String) -> Int? {
    SignalboxReport.now.queues.first { $0.label == label }?.running
  }
}
