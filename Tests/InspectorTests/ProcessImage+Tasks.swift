// ProcessImage+Tasks — jobs of tasks in the memory that a test makes.

@testable import SignalboxInspector

extension ProcessImage {
  static let taskClass: UInt64 = 0xC1A55
  static let itemFunction: UInt64 = 0xF00
  static let jobFlag: UInt64 = 32
  /// Where a thread's storage has its job, the job's number and the thread's name.
  static let (job, jobNumber, name) = (24, 40, 48)

  /// Adds what an engine says about jobs.
  ///
  /// - Parameter layout: the number that the runtime says.
  func describeTasks(layout: UInt64 = 1) {
    entry("storage", "job", 2, UInt64(ProcessImage.job), 8)
    entry("storage", "job_number", 1, UInt64(ProcessImage.jobNumber), 4)
    entry("storage", "name", 1, UInt64(ProcessImage.name), 1)
    entry("item", "function", 2, 8, 8)
    entry("item", "flags", 1, 16, 4)
    entry("item", "captures", 2, 24, 8)
    entry("item flag", "job", 3, ProcessImage.jobFlag, 0)
    entry("job", "in place", 3, ProcessImage.itemFunction, 0)
    let version = make(8)
    put(layout, at: version)
    entry("task layout", "root", 4, address(version), 1)
    let type = make(8)
    put(ProcessImage.taskClass, at: type)
    entry("task class", "root", 4, address(type), 1)
  }

  /// A job as the runtime makes it. Returns where it is.
  ///
  /// - Parameter name: the name of its task; nil if it has none.
  func job(number: UInt64, kind: UInt64 = 0, priority: UInt64 = 25, name: String? = nil) -> Int {
    let job = make(0xA0)
    put(ProcessImage.taskClass, at: job)
    put(kind | priority << 8 | (name == nil ? 0 : 1 << 30), at: job + 32, size: 4)
    put(number, at: job + 36, size: 4)
    put(number >> 32, at: job + 0x90, size: 4)
    guard let name else { return job }
    let (inner, outer) = (make(32), make(32))
    put(address(inner), at: job + 0x68)
    // Another kind of record, and then the name's.
    put(3, at: inner)
    put(address(outer), at: inner + 8)
    put(text("wrong"), at: inner + 16)
    put(6, at: outer)
    put(text(name), at: outer + 16)
    return job
  }

  /// A thread that waits, and runs a job. Returns its storage.
  ///
  /// - Parameter jobNumber: the number that the job had when it began.
  @discardableResult
  func thread(_ number: UInt64, runs job: UInt64, _ jobNumber: UInt64) -> Int {
    let storage = make(96)
    put(job, at: storage + ProcessImage.job)
    put(jobNumber, at: storage + ProcessImage.jobNumber, size: 4)
    let record = thread(number)
    put(address(storage + ProcessImage.name), at: field("name", of: record))
    return storage
  }
}
