// TargetReport — what is known about a process, and the lines that say so.

package struct TargetReport {
  let process: Int32
  package let name: String
  /// The time of the report, on the monotonic clock; nil if it is not known, as for a core.
  let uptime: UInt64?
  let kernelThreads: [KernelThread]
  package let inspections: [Inspection]
  /// The words for each inspection.
  let words: [ThreadWords]
  /// nil for a live process.
  let origin: Origin?
  /// The functions on the threads' stacks, by the kernel's number in the target's own namespace.
  let stacks: [Int32: [SeenFrame]]
  /// The system calls in which threads sleep, by the same number.
  let calls: [Int32: SystemCall]
  /// What is missing, one sentence each.
  let notes: [String]

  /// Where the report on a dead process comes from.
  struct Origin {
    let path: String
    /// The signal that ended the process; 0 if none did.
    let signal: Int32
    let words: String
  }

  package init(
    process: Int32, name: String, uptime: UInt64, kernelThreads: [KernelThread],
    inspections: [Inspection]
  ) {
    self.init(
      process: process, name: name, uptime: uptime, kernelThreads: kernelThreads,
      inspections: inspections, origin: nil, notes: [], stacks: [:], calls: [:])
  }

  init(
    process: Int32, name: String, uptime: UInt64?, kernelThreads: [KernelThread],
    inspections: [Inspection], origin: Origin?, notes: [String],
    stacks: [Int32: [SeenFrame]], calls: [Int32: SystemCall]
  ) {
    self.calls = calls
    self.origin = origin
    self.notes = notes + stacks.namelessFiles
    self.stacks = stacks
    self.process = process
    self.name = name
    self.uptime = uptime
    self.kernelThreads = kernelThreads
    self.inspections = inspections
    let main = kernelThreads.first { $0.outer == process }
    let byKernelID = Dictionary(
      kernelThreads.map { ($0.kernelID, $0) }, uniquingKeysWith: { a, _ in a })
    words = inspections.map { ThreadWords($0, uptime: uptime, byKernelID, main: main) }
  }

  /// The number of threads that wait in a call of Signalbox.
  package var waiting: Int {
    inspections.reduce(0) { $0 + $1.threads.filter { $0.wait != nil }.count }
  }

  package var deadlocks: Int { inspections.reduce(0) { $0 + $1.cycles.count } }

  package var threadCount: Int { kernelThreads.count }

  /// The report as text. For a core, the first line names the process. The deadlocks come first,
  /// then the waits, the longest first, then the queues and the pools, and then all other threads.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  private var lines: [String] {
    var lines: [String] = []
    if let origin { lines.append(origin.words) }
    if inspections.count > 1 {
      lines.append(
        "this process has \(inspections.count) copies of Signalbox, each with threads and queues of its own"
      )
    }
    for (inspection, words) in zip(inspections, words) {
      if inspections.count > 1 { lines.append("in \(inspection.path):") }
      lines += inspection.cycles.map { words.deadlock($0) }
      let waits = waits(of: inspection)
      for thread in waits {
        lines.append(words.line(of: thread))
        if thread.wait?.isIdle != true { lines += frames(of: thread.kernelID) }
      }
      if waits.isEmpty { lines.append("no thread waits in a call of Signalbox") }
      lines += inspection.queueLines.map { $0.words(words) }
      lines += inspection.pools.map(\.words)
      lines += inspection.notes
    }
    for thread in otherThreads {
      lines.append(
        "\(name(of: thread))\(place(of: thread)) \(thread.state.words(calls[thread.kernelID]))")
      lines += frames(of: thread.kernelID)
    }
    lines += notes
    return lines
  }

  private func frames(of thread: Int32) -> [String] {
    (stacks[thread]?.shown ?? []).map { "    at \($0.words)" }
  }

  private func name(of thread: KernelThread) -> String {
    let known = words.lazy.compactMap { $0.known(thread) }.first
    return known ?? ThreadWords.stranger(thread, isMain: thread.outer == process)
  }

  private func place(of thread: KernelThread) -> String {
    words.lazy.map { $0.place(of: thread) }.first { !$0.isEmpty } ?? ""
  }

  /// The threads that wait: first those with something to wait for, the longest first; then the
  /// idle ones.
  func waits(of inspection: Inspection) -> [SeenThread] {
    inspection.threads.filter { $0.wait != nil }.sorted { a, b in
      guard let first = a.wait, let second = b.wait else { return false }
      return (first.isIdle ? 1 : 0, first.since, a.number)
        < (second.isIdle ? 1 : 0, second.since, b.number)
    }
  }

  /// The threads that wait in no engine.
  var otherThreads: [KernelThread] {
    let waiting = Set(inspections.flatMap { waits(of: $0).map(\.kernelID) })
    return kernelThreads.filter { !waiting.contains($0.kernelID) }
  }
}

extension SeenPool {
  var words: String {
    func text(_ count: UInt64?) -> String { count.map { "\($0)" } ?? "?" }
    return
      "the pool of \(tier) priority has \(text(workers)) workers, of which \(text(running)) run, and "
      + "\(text(pending)) waiting for one; at most \(text(width)) run at once"
  }
}

extension SeenQueueLine {
  func words(_ words: ThreadWords) -> String {
    var doings: [String] = []
    let state = queue.state
    if state.owner != 0 { doings.append("\(words.name(of: state.owner)) serves it") }
    if state.shared > 0 { doings.append("\(state.shared) run on it") }
    if state.isInactive { doings.append("it is inactive") }
    if state.isSuspended { doings.append("it is suspended") }
    if doings.isEmpty { doings.append("it waits \(awaited)") }
    return "the queue \(queue.quoted) (\(queue.shape)"
      + (target.map { ", with the target \($0)" } ?? "")
      + ") \(depth.words)\(jobWords); " + doings.joined(separator: "; ")
  }

  /// Which items are jobs of tasks and actors.
  private var jobWords: String {
    if jobs.isEmpty { return "" }
    let shown = jobs.prefix(3).map(\.words).joined(separator: ", ")
    return ": \(shown)" + (jobs.count > 3 ? ", and others" : "")
  }

  /// What the queue waits for before it can be served.
  private var awaited: String {
    if queue.shape == "main" { return "for the main thread" }
    guard queue.state.waitsForTarget else { return "to be served" }
    return target == nil ? "for a worker" : "for its target"
  }
}

extension QueueReader.Depth {
  fileprivate var words: String {
    func items(_ count: Int) -> String { "\(count) item\(count == 1 ? "" : "s")" }
    return switch self {
    case .count(0): "holds no item"
    case .count(let count): "holds \(items(count))"
    case .atLeast(let count): "holds at least \(items(count))"
    case .changing: "is served too fast for its items to be counted"
    case .unknown: "was found, its items were not counted"
    }
  }
}
