// Target — a process that is inspected, or the reason why that is impossible.

import CSignalboxTool

package struct Target {
  package let process: Int32
  /// Its name in the kernel's list.
  package let name: String
  package let memory: TargetMemory
  package let engines: [EngineFinder.Engine]

  /// Opens a process that has an engine of a known version.
  package init(_ process: Int32) throws(InspectionRefusal) {
    let maps: String
    switch ProcessFile.read("/proc/\(process)/maps") {
    case .success(let bytes): maps = String(decoding: bytes, as: UTF8.self)
    case .failure(let error): throw InspectionRefusal(process, error.code)
    }
    self.process = process
    name = Target.name(of: process)
    if maps.isEmpty { throw InspectionRefusal(withoutMemory: process) }
    let memory = TargetMemory(ProcessMemory(of: process))
    self.memory = memory
    let findings = EngineFinder(memory).find(in: maps)
    if memory.failure != 0 { throw InspectionRefusal(process, memory.failure) }
    engines = findings.engines
    if engines.isEmpty { throw InspectionRefusal(process, name, findings) }
  }

  package static func name(of process: Int32) -> String {
    let name = ProcessFile.text("/proc/\(process)/comm")?.dropLast() ?? ""
    return DisplayText.make(Array(name.utf8), isCut: false)
  }

  /// What the engines in use say; those that were never used if there are no others.
  package func inspect() throws(InspectionRefusal) -> TargetReport {
    let kernelThreads = KernelThread.all(of: process)
    let existing = Set(kernelThreads.map(\.kernelID))
    let all = engines.compactMap {
      Inspection($0, memory, existing: existing.isEmpty ? nil : existing)
    }
    if memory.failure != 0 { throw InspectionRefusal(process, memory.failure) }
    let used = all.filter(\.isInUse)
    return TargetReport(
      process: process, name: name,
      uptime: UInt64(csb_tool_uptime()),
      kernelThreads: kernelThreads,
      inspections: used.isEmpty ? Array(all.prefix(1)) : used)
  }
}
