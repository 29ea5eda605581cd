// TaskReader — the jobs of Swift's tasks that threads run, and those that wait in queues.
//
// The engine says which job a thread runs, and which items are jobs. What a job says about its task is
// in the memory of Swift's runtime. The runtime exports the number of its layout for debuggers; only
// layout 1 is known here, and with any other a job has no details: see Internals/Outside.md. The same
// layout is described for the engine itself in task_layout.h of CSignalbox.

/// A job, as it was read.
package struct SeenJob: Equatable {
  enum Kind: Equatable {
    /// A part of the task with this number.
    case task(UInt64)
    /// A turn of an actor, which may run parts of several tasks.
    case turn
    /// Either of these; which one is not known.
    case unknown
  }

  let kind: Kind
  /// Empty if the task has none.
  var name = ""
  /// nil if it is not known, or the job has none.
  var priority: String?

  static let unknown = SeenJob(kind: .unknown)

  /// "task 17 "decode" (user-initiated)".
  var words: String {
    let subject =
      switch kind {
      case .task(let number):
        "task \(number)" + (name.isEmpty ? "" : " \(DisplayText.quoted(name))")
      case .turn: "a job of an actor"
      case .unknown: "a job of a task or an actor"
      }
    return subject + (priority.map { " (\($0))" } ?? "")
  }
}

package struct TaskReader {
  private let memory: TargetMemory
  private let storage: RecordLayout?
  /// Where a thread's storage holds the thread's name.
  private let nameOffset: UInt64
  private let item: RecordLayout?
  private let jobFlag: UInt64
  /// The function of an item that is in its job's memory; 0 if there is none.
  private let inPlace: UInt64
  /// What every task begins with; nil if the layout is not known.
  private let taskClass: UInt64?

  /// Offsets and bits of layout 1, on machines with addresses of 64 bits.
  private enum Layout {
    static let version: UInt64 = 1
    static let itemInJob: UInt64 = 16
    static let flags = 32
    static let number = 36
    static let jobSize = 64
    static let records: UInt64 = 0x68
    static let upperNumber: UInt64 = 0x90
    static let hasName: UInt64 = 1 << 30
    static let nameRecord: UInt64 = 6
    static let recordSize = 24
    static let taskKind: UInt64 = 0
    static let actorKinds: ClosedRange<UInt64> = 192...194
  }

  package init(_ table: EngineTable, _ memory: TargetMemory) {
    self.memory = memory
    storage = table.layout("storage", ["job", "job_number"])
    let name = table.layout("storage", ["name"])
    nameOffset = name?.address(of: "name", at: 0) ?? 0
    item = table.layout("item", ["next", "function", "flags", "captures"])
    jobFlag = table.constant("item flag", "job") ?? 0
    inPlace = table.constant("job", "in place") ?? 0
    let version = table.root("task layout").flatMap { memory.number(at: $0.address, size: 4) }
    taskClass =
      version == Layout.version
      ? table.root("task class").flatMap { memory.number(at: $0.address) } : nil
  }

  // MARK: What a thread runs

  /// The job that a thread runs; nil if it runs none, or the engine does not say.
  ///
  /// - Parameter name: the address of the thread's name, which is in the thread's storage.
  func job(ofThreadNamedAt name: UInt64) -> SeenJob? {
    guard let storage, nameOffset != 0, name > nameOffset else { return nil }
    let base = name &- nameOffset
    for _ in 0..<Limits.attempts {
      guard let now = storage.read(at: base, from: memory), now["job"] != 0 else { return nil }
      let seen = job(at: now["job"], number: now["job_number"])
      let then = storage.read(at: base, from: memory)
      if then?["job"] == now["job"], then?["job_number"] == now["job_number"] { return seen }
    }
    return .unknown
  }

  // MARK: What waits in a queue

  /// The first jobs in a queue's list. Items of other kinds are passed over.
  func jobs(in queue: SeenQueue) -> [SeenJob] {
    guard let item, queue.firstItem != 0 else { return [] }
    var jobs: [SeenJob] = []
    var next = queue.firstItem
    for _ in 0..<Limits.itemsForJobs {
      guard jobs.count < Limits.jobsInQueue, next != 0,
        let record = item.read(at: next, from: memory)
      else { break }
      if inPlace != 0, record["function"] == inPlace {
        jobs.append(job(at: next &- Layout.itemInJob, number: nil))
      } else if jobFlag != 0, record["flags"] & jobFlag != 0 {
        jobs.append(job(at: record["captures"], number: nil))
      }
      next = record["next"]
    }
    return jobs
  }

  // MARK: One job

  /// - Parameter number: the number of the job; nil if it is not known. If the job has another
  ///   number, its memory belongs to something else by now.
  private func job(at address: UInt64, number: UInt64?) -> SeenJob {
    guard let taskClass, let job = memory.bytes(at: address, count: Layout.jobSize) else {
      return .unknown
    }
    func word(_ offset: Int, _ size: Int) -> UInt64 {
      TargetMemory.number(job, at: offset, size: size)
    }
    let flags = word(Layout.flags, 4)
    let lower = word(Layout.number, 4)
    guard number == nil || number == lower else { return .unknown }
    let priority = TaskReader.words(forPriority: UInt8(truncatingIfNeeded: flags >> 8))
    let kind = flags & 0xFF
    if Layout.actorKinds.contains(kind) { return SeenJob(kind: .turn, priority: priority) }
    guard kind == Layout.taskKind, word(0, 8) == taskClass, lower != 0,
      let upper = memory.number(at: address &+ Layout.upperNumber, size: 4)
    else { return .unknown }
    return SeenJob(
      kind: .task(upper << 32 | lower),
      name: flags & Layout.hasName == 0 ? "" : name(ofTaskAt: address) ?? "", priority: priority)
  }

  private func name(ofTaskAt address: UInt64) -> String? {
    guard var next = memory.number(at: address &+ Layout.records) else { return nil }
    for _ in 0..<Limits.chain {
      guard next != 0, let record = memory.bytes(at: next, count: Layout.recordSize) else {
        return nil
      }
      if TargetMemory.number(record, at: 0, size: 1) == Layout.nameRecord {
        return memory.text(at: TargetMemory.number(record, at: 16, size: 8))
      }
      next = TargetMemory.number(record, at: 8, size: 8)
    }
    return nil
  }

  /// The class of a priority, in words. A number between two classes counts as the lower one.
  static func words(forPriority priority: UInt8) -> String? {
    switch priority {
    case 0: nil
    case ..<17: "background"
    case ..<21: "utility"
    case ..<25: "default"
    case ..<33: "user-initiated"
    default: "user-interactive"
    }
  }
}
