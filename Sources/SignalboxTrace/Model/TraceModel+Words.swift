// TraceModel+Words — the names of threads, queues, objects and causes.

import SignalboxDiagnostics

extension TraceModel {
  /// The text at an index; empty for `none`.
  package func string(_ index: Index) -> String {
    strings.indices.contains(Int(index)) ? strings[Int(index)] : ""
  }

  /// A thread's name, or else its role and number, as on the page.
  package func threadName(_ index: Index) -> String {
    guard threads.indices.contains(Int(index)) else { return "" }
    let thread = threads[Int(index)]
    let name = string(thread.name)
    if thread.role == .main, isKernels(name) { return "main thread" }
    if !name.isEmpty { return name }
    return "\(thread.role == .worker ? "worker" : "thread") \(thread.number)"
  }

  /// Whether the main thread has only the name that the kernel gave it: the
  /// first fifteen bytes of the program's name.
  private func isKernels(_ name: String) -> Bool {
    name.isEmpty || name.utf8.elementsEqual(meta.program.utf8.prefix(15))
  }

  /// A queue's label.
  package func queueName(_ index: Index) -> String {
    guard queues.indices.contains(Int(index)) else { return "" }
    let label = string(queues[Int(index)].label)
    return label.isEmpty ? "queue without a label" : label
  }

  /// A thread's name for a sentence: "the main thread", "the thread "loader"",
  /// "worker 3".
  func quotedThread(_ index: Index) -> String {
    guard threads.indices.contains(Int(index)) else { return "an unknown thread" }
    let name = threadName(index)
    if name == "main thread" { return "the main thread" }
    return string(threads[Int(index)].name).isEmpty ? name : "the thread \"\(name)\""
  }

  /// A queue's name for a sentence: "the queue "com.example.db"", or a
  /// replacement if the label was lost.
  func quotedQueue(_ index: Index) -> String {
    guard queues.indices.contains(Int(index)) else { return "a queue" }
    let queue = queues[Int(index)]
    let label = string(queue.label)
    if label.isEmpty { return "a queue without a label" }
    return queue.isNamed ? "the queue \"\(label)\"" : label
  }

  /// The kind of an object, with its name in quotes if it has one. A
  /// descriptive name such as a lock's ("the NSLock "canvas"") already contains
  /// both.
  package func objectName(_ index: Index) -> String {
    guard objects.indices.contains(Int(index)) else { return "" }
    let object = objects[Int(index)]
    let name = string(object.name)
    if object.isDescribed { return name }
    return name.isEmpty ? object.kind.words : "\(object.kind.words) \"\(name)\""
  }

  /// An object's name for a sentence: "the semaphore "slots"", "a semaphore".
  func quotedObject(_ index: Index) -> String {
    guard objects.indices.contains(Int(index)) else { return "something" }
    let object = objects[Int(index)]
    let name = string(object.name)
    if object.isDescribed { return name }
    let startsWithVowel = object.kind.words.first.map { "aeio".contains($0) } ?? false
    let article = !name.isEmpty ? "the" : startsWithVowel ? "an" : "a"
    return "\(article) \(objectName(index))"
  }

  /// An interval's name, with its details: "decode: photo.jpeg".
  package func intervalName(_ interval: Int) -> String {
    let name = string(intervals.name[interval])
    let details = string(intervals.details[interval])
    return details.isEmpty ? name : "\(name): \(details)"
  }

  /// The task that an item is a job of: "task 17 "decode"", or "task 17" if the program gave it no
  /// name. Empty if the item is not a job of a task.
  package func taskName(ofItem item: Int) -> String {
    let task = items.task[item]
    guard tasks.number.indices.contains(Int(task)) else { return "" }
    let name = string(tasks.name[Int(task)])
    return "task \(tasks.number[Int(task)])" + (name.isEmpty ? "" : " \"\(name)\"")
  }

  /// What a thread waits for: "for a signal of the semaphore "slots"".
  package func waitWords(_ wait: Int) -> String {
    let resource =
      if waits.queue[wait] >= 0 {
        quotedQueue(waits.queue[wait])
      } else {
        quotedObject(waits.object[wait])
      }
    return "\(string(waits.reason[wait])) \(resource)"
  }

  /// How much was lost, and how to avoid it; nil if nothing was lost.
  package var lossWords: String? {
    let counts = [(meta.lostEvents, "event"), (meta.lostNames, "name")].filter { $0.0 > 0 }.map {
      "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")"
    }
    guard !counts.isEmpty else { return nil }
    let isOne = meta.lostEvents + meta.lostNames == 1
    return counts.joined(separator: " and ") + (isOne ? " was lost" : " were lost")
      + "; a larger SIGNALBOX_TRACE_SIZE keeps more"
  }

  /// The start of the trace on the wall clock.
  package var began: WallTime { WallTime(nanoseconds: meta.beganOnTheWall) }
}

extension TraceObjectKind {
  var words: String {
    switch self {
    case .other: "object"
    case .runLoop: "run loop"
    case .lock, .condition, .semaphore, .group, .timer, .source, .thread, .operation, .task:
      "\(self)"
    }
  }
}

extension TraceHeader.Cause {
  /// The word for the cause in a trace's JSON.
  var word: String {
    switch self {
    case .notYet, .crash: "crash"
    case .programEnded: "end"
    case .demanded: "demand"
    case .signal: "signal"
    case .condition: "condition"
    }
  }

  var words: String {
    switch self {
    case .notYet: "never completed"
    case .programEnded: "written at its end"
    case .demanded: "written on demand"
    case .signal: "written at a signal"
    case .crash: "written at a crash"
    case .condition: "written on a condition"
    }
  }
}

/// A moment on the wall clock, in UTC.
package struct WallTime: Sendable, Equatable {
  /// Nanoseconds since 1970.
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The time truncated to milliseconds: "2026-11-22T18:00:00.123Z".
  package var text: String {
    let seconds = nanoseconds / 1_000_000_000
    let (year, month, day) = WallTime.date(days: Int(seconds / 86400))
    let clock = Int(seconds % 86400)
    let thousandths = Int(nanoseconds / 1_000_000 % 1000)
    return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))T\((clock / 3600).padded(2)):"
      + "\((clock / 60 % 60).padded(2)):\((clock % 60).padded(2)).\(thousandths.padded(3))Z"
  }

  /// The same for the name of a file, to the microsecond:
  /// "20261122T180000.123456Z".
  package var stamp: String {
    let second = text.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
    return "\(second).\(Int(nanoseconds / 1000 % 1_000_000).padded(6))Z"
  }

  /// The date this many days after 1 January 1970. It counts years from March,
  /// so that the leap day is the last day of a year, in eras of 400 years,
  /// which all have the same number of days.
  private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let day = days + 719_468
    let (era, dayOfEra) = (day / 146_097, day % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      era * 400 + yearOfEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }
}

extension Int {
  fileprivate func padded(_ width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
