// ThreadWords — threads and their waits in the words of reports.

struct ThreadWords {
  private let inspection: Inspection
  private let uptime: UInt64?
  private let byNumber: [UInt64: SeenThread]
  private let knownByKernelID: [Int32: SeenThread]
  private let byKernelID: [Int32: KernelThread]
  /// The process's first thread.
  private let main: KernelThread?

  init(
    _ inspection: Inspection, uptime: UInt64?, _ byKernelID: [Int32: KernelThread],
    main: KernelThread?
  ) {
    self.inspection = inspection
    self.uptime = uptime
    self.byKernelID = byKernelID
    self.main = main
    byNumber = Dictionary(
      inspection.threads.map { ($0.number, $0) }, uniquingKeysWith: { a, _ in a })
    knownByKernelID = Dictionary(
      inspection.threads.map { ($0.kernelID, $0) }, uniquingKeysWith: { a, _ in a })
  }

  // MARK: Names

  /// The thread with this number, with what is known about it.
  func name(of number: UInt64) -> String {
    byNumber[number].map { name(of: $0) } ?? "thread \(number)"
  }

  func name(of thread: SeenThread) -> String {
    let name = bareName(of: thread)
    return "thread \(thread.number) (kernel \(thread.kernelID)"
      + (name.isEmpty ? "" : ", \(DisplayText.quoted(name))")
      + (thread.isMain ? ", the main thread" : "") + ")"
  }

  /// The name that the program gave the thread, or else the kernel's name for it.
  func bareName(of thread: SeenThread) -> String {
    thread.name.isEmpty ? byKernelID[thread.kernelID]?.name ?? "" : thread.name
  }

  /// The thread's name if this engine knows it.
  func known(_ thread: KernelThread) -> String? {
    knownByKernelID[thread.kernelID].map { name(of: $0) }
  }

  static func stranger(_ thread: KernelThread, isMain: Bool) -> String {
    "the thread without a number (kernel \(thread.kernelID)"
      + (thread.name.isEmpty ? "" : ", \(DisplayText.quoted(thread.name))")
      + (isMain ? ", the main thread" : "") + ")"
  }

  /// For a thread that waits in no call of Signalbox: the queues that it serves, and the job that
  /// it runs; empty if there are none.
  func place(of thread: KernelThread) -> String {
    guard let known = knownByKernelID[thread.kernelID] else { return "" }
    let queues = inspection.queues.values.filter { $0.state.owner == known.number }
      .sorted { $0.object < $1.object }.map(\.quoted)
    return (queues.isEmpty ? "" : ", on the queue \(queues.joined(separator: " and "))")
      + (known.job.map { ", in \($0.words)" } ?? "")
      + (queues.isEmpty && known.job == nil ? "" : ",")
  }

  /// The job that a thread runs; nil if it runs none, or if that is not known.
  func job(of thread: KernelThread) -> SeenJob? { knownByKernelID[thread.kernelID]?.job }

  // MARK: Waits

  /// The reason for a wait for a signal, which no thread holds.
  private static let signal = "for a signal of"

  /// The thread's line in a report.
  func line(of thread: SeenThread) -> String {
    guard let wait = thread.wait else { return name(of: thread) }
    return name(of: thread) + sentence(thread, wait) + holders(of: thread, wait)
      + (wait.hasDeadline ? ", with a time-out" : "")
  }

  private func sentence(_ thread: SeenThread, _ wait: SeenWait) -> String {
    let place = [place(of: wait), thread.job.map { "in \($0.words)" } ?? ""]
      .filter { !$0.isEmpty }.joined(separator: ", ")
    return (place.isEmpty ? "" : ", \(place),") + " waits \(wait.reason) \(resource(of: wait))"
      + (length(of: wait).map { " (for \(TimeWords.of($0)))" } ?? "")
  }

  /// Nanoseconds since the wait began; nil if the report's clock is behind, as it may be in another
  /// time namespace, or if the report was made from a core file, which does not say when it was
  /// written.
  func length(of wait: SeenWait) -> UInt64? {
    guard let uptime, uptime >= wait.since else { return nil }
    return uptime - wait.since
  }

  /// The thread or threads that hold the resource.
  private func holders(of thread: SeenThread, _ wait: SeenWait) -> String {
    // A thread that waits for work on its own queue holds that queue and is only idle.
    if wait.isIdle || isNamedByHolder(wait) { return "" }
    let needs = inspection.graph.needs(of: thread)
    guard let first = needs.first else {
      if let main = mainThread(for: wait) { return ", held by \(main)" }
      return wait.holder == .nobody && wait.reason == ThreadWords.signal
        ? ", which any thread may give" : ""
    }
    let names = needs.prefix(3).map { $0.thread == thread.number ? "itself" : name(of: $0.thread) }
    let more = needs.count - names.count
    return ", \(first.way.rawValue) \(names.joined(separator: " and "))"
      + (more > 0 ? " and \(more) more" : "")
  }

  /// The main thread, if the wait is for the main queue and that thread has never waited, so that it has no
  /// number.
  func mainThread(for wait: SeenWait) -> String? {
    guard inspection.queues[wait.object]?.shape == "main", let main else { return nil }
    return known(main) ?? ThreadWords.stranger(main, isMain: true)
  }

  /// The number of the only thread that holds up the resource; nil if there is none or more than
  /// one.
  func owner(of thread: SeenThread) -> UInt64? {
    let needs = inspection.graph.needs(of: thread)
    return needs.count == 1 ? needs[0].thread : nil
  }

  /// "on the queue …" for the queues that the thread is on.
  func place(of wait: SeenWait) -> String {
    var on: [String] = []
    for queue in wait.stack.queues.map(quoted) where on.last != queue { on.append(queue) }
    let held = wait.stack.heldQueues.map(quoted)
    var parts: [String] = []
    if !on.isEmpty { parts.append("on the queue " + on.joined(separator: " within ")) }
    if !held.isEmpty { parts.append("holding the queue " + held.joined(separator: ", ")) }
    return parts.joined(separator: ", ")
  }

  private func quoted(_ queue: UInt64) -> String {
    inspection.queues[queue]?.quoted ?? "at \(hex(queue))"
  }

  func resource(of wait: SeenWait) -> String {
    let title = wait.title.isEmpty ? "something" : wait.title
    switch wait.label {
    case .whole: return title
    case .text(let label): return "\(title) \(DisplayText.quoted(label))"
    case .holder:
      if case .thread(let number) = wait.holder { return name(of: number) }
      return "\(title) at \(hex(wait.object))"
    case .none:
      if let queue = inspection.queues[wait.object] { return "\(title) \(queue.quoted)" }
      return "\(title) at \(hex(wait.object))"
    }
  }

  private func isNamedByHolder(_ wait: SeenWait) -> Bool {
    if case .holder = wait.label, case .thread = wait.holder { return true }
    return false
  }

  private func hex(_ address: UInt64) -> String { "0x\(String(address, radix: 16))" }

  // MARK: Deadlocks

  /// Describes each thread in turn: its place, what it waits for, and the thread that holds that up.
  func deadlock(_ cycle: [CycleStep]) -> String {
    var text = "deadlock: "
    for (index, step) in cycle.enumerated() {
      guard let wait = step.thread.wait else { continue }
      if index == 0 { text += name(of: step.thread) }
      text += sentence(step.thread, wait) + ", "
      text += isNamedByHolder(wait) ? "which is " : "\(step.way.rawValue) "
      if index + 1 == cycle.count {
        text += cycle.count == 1 ? "that thread itself" : "thread \(cycle[0].thread.number)"
      } else {
        text += name(of: cycle[index + 1].thread) + ", which"
      }
    }
    return text + ". " + outlook(cycle)
  }

  private func outlook(_ cycle: [CycleStep]) -> String {
    let isOne = cycle.count == 1
    if cycle.contains(where: { $0.thread.wait?.mayBeReleased == true || $0.way == .starts }) {
      return isOne
        ? "It continues only if another thread ends the wait."
        : "They continue only if another thread ends one of these waits."
    }
    return isOne ? "It can never continue." : "None can ever continue."
  }
}

/// A length of time in the largest unit that fits at least once.
enum TimeWords {
  static func of(_ nanoseconds: UInt64) -> String {
    var amount = nanoseconds
    let units: [(String, UInt64)] = [
      ("ns", 1000), ("µs", 1000), ("ms", 1000), ("s", 60), ("min", 60), ("h", 24),
    ]
    for (unit, size) in units {
      if amount < size { return "\(amount) \(unit)" }
      amount /= size
    }
    return "\(amount) d"
  }
}
