// Target — a process that is inspected, or the reason why that is impossible.

import CSignalboxTool
import Glibc

package struct Target {
  package let process: Int32
  /// Its name in the kernel's list.
  package let name: String
  package let memory: TargetMemory
  package let engines: [EngineFinder.Engine]
  /// Whether the process has more files with code than were looked at.
  private let isCut: Bool
  private let maps: String
  /// The thread through whose number the memory is read.
  let reader: Int32

  /// What the engines of a process say.
  ///
  /// - Parameter afterReading: called with the number of each attempt before its result counts.
  package static func report(
    of process: Int32, hasStacks: Bool = true, symbols: SymbolFile? = nil,
    afterReading: (Int) -> Void = { _ in }
  ) throws(InspectionRefusal) -> TargetReport {
    for attempt in 0..<Limits.attempts {
      let thread = Target.living(process)
      let before = ProcessIdentity(process, thread: thread)
      var result: Result<TargetReport, InspectionRefusal>
      do throws(InspectionRefusal) {
        result = .success(
          try Target(process, thread: thread).inspect(hasStacks: hasStacks, symbols: symbols))
      } catch {
        result = .failure(error)
      }
      afterReading(attempt)
      let now = Target.living(process)
      // Otherwise parts of the report may come from two programs, or it was read through a thread
      // that has ended.
      if now == thread, before == ProcessIdentity(process, thread: now) { return try result.get() }
    }
    throw InspectionRefusal(
      .gone, "process \(process) begins one program after the other, so it could not be read")
  }

  /// Opens a process that has an engine of a known version.
  package init(_ process: Int32) throws(InspectionRefusal) {
    try self.init(process, thread: Target.living(process))
  }

  private init(_ process: Int32, thread: Int32) throws(InspectionRefusal) {
    reader = thread
    switch ProcessFile.read("/proc/\(process)/task/\(thread)/maps") {
    case .success(let bytes): maps = String(decoding: bytes, as: UTF8.self)
    case .failure(let error): throw InspectionRefusal(process, error.code)
    }
    self.process = process
    name = Target.name(of: process)
    if maps.isEmpty { throw InspectionRefusal(withoutMemory: process) }
    // The search has limits of its own, so that many files leave enough for the report.
    let search = TargetMemory(ProcessMemory(of: thread))
    let findings = EngineFinder(search).find(in: maps)
    if search.failure != 0 { throw InspectionRefusal(process, search.failure) }
    memory = TargetMemory(ProcessMemory(of: thread))
    engines = findings.engines
    isCut = findings.isCut
    if engines.isEmpty { throw InspectionRefusal(process, name, findings) }
  }

  /// A thread of the process that still has memory: the first one, unless it has ended before the
  /// others.
  private static func living(_ process: Int32) -> Int32 {
    guard ProcessFile.state(of: "/proc/\(process)/stat") == "Z" else { return process }
    return ProcessFile.numbers(in: "/proc/\(process)/task").first { thread in
      ProcessFile.state(of: "/proc/\(process)/task/\(thread)/stat") != "Z"
    } ?? process
  }

  package static func name(of process: Int32) -> String {
    let name = ProcessFile.text("/proc/\(process)/comm")?.dropLast() ?? ""
    return DisplayText.make(Array(name.utf8), isCut: false)
  }

  /// What the engines in use say. If none is in use, what the unused ones say.
  package func inspect(
    hasStacks: Bool = false, symbols: SymbolFile? = nil
  ) throws(InspectionRefusal) -> TargetReport {
    let kernelThreads = KernelThread.all(of: process)
    let existing = Set(kernelThreads.map(\.kernelID))
    let inspections = Inspection.used(
      engines, memory, existing: existing.isEmpty ? nil : existing)
    if memory.failure != 0 { throw InspectionRefusal(process, memory.failure) }
    let stacks =
      hasStacks
      ? LiveStacks(of: process, reader: reader, maps: maps, symbols).read(
        kernelThreads, waiting: inspections.flatMap(\.threads)) : [:]
    var notes: [String] = []
    if isCut {
      notes.append("only \(Limits.codeFiles) of the process's files with code were looked at")
    }
    if hasStacks, let note = symbols?.note { notes.append(note) }
    return TargetReport(
      process: process, name: name,
      uptime: UInt64(csb_tool_uptime()),
      kernelThreads: kernelThreads,
      inspections: inspections,
      origin: nil,
      notes: notes,
      stacks: stacks,
      calls: hasStacks ? LiveCalls(of: process).read(kernelThreads) : [:])
  }
}
