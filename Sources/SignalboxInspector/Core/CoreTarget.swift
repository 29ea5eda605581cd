// CoreTarget — a process that was dumped, or the reason why its core cannot be read.

import Glibc

package struct CoreTarget {
  private let path: String
  private let core: CoreFile
  private let files: CoreFiles
  private let memory: TargetMemory
  private let engines: [EngineFinder.Engine]

  /// Opens a core of a process that had an engine of a known version.
  ///
  /// - Parameter program: where the program is now; nil if it is where it was.
  package init(_ path: String, program: String?) throws(InspectionRefusal) {
    self.path = path
    do throws(CoreFault) { core = try CoreFile(path) } catch {
      throw InspectionRefusal(core: path, error)
    }
    let main = CoreTarget.program(core)
    if let program {
      do throws(FileMismatch) {
        _ = try CoreFiles.open(program, as: main?.path ?? "", in: core)
      } catch {
        throw InspectionRefusal(program: program, ofCore: path, error)
      }
    }
    files = CoreFiles(
      core,
      program: program.flatMap { program in main.map { (path: $0.path, now: program) } })
    memory = TargetMemory(CoreMemory(core, files))
    // Such a core lacks what the program has written, and the files have older values.
    guard CoreTarget.hasStacks(core) else { throw InspectionRefusal(coreWithoutStacks: path, core) }
    let findings = EngineFinder(memory).find(at: CoreTarget.starts(core))
    engines = findings.engines
    if engines.isEmpty {
      throw InspectionRefusal(core: path, core, findings, CoreTarget.words(files.faults))
    }
  }

  /// The mapping with the program's first instruction.
  private static func program(_ core: CoreFile) -> CoreMapping? {
    let entry = core.notes.entry
    return core.notes.mappings.first { $0.start <= entry && entry < $0.end }
      ?? core.notes.mappings.first
  }

  /// Whether the core contains the stack of at least one thread.
  private static func hasStacks(_ core: CoreFile) -> Bool {
    core.notes.threads.contains { core.dumped(at: $0.registers.stack, count: 8) != nil }
  }

  /// Where files begin: those whose first page is in the core, or all if none is.
  private static func starts(_ core: CoreFile) -> [MappedFiles.Start] {
    let all = core.notes.mappings.filter { $0.offset == 0 }
    let dumped = all.filter { core.dumped(at: $0.start, count: ELFHeader.size) != nil }
    return (dumped.isEmpty ? all : dumped).prefix(Limits.mappings).map {
      MappedFiles.Start(
        address: $0.start, path: DisplayText.make(Array($0.path.utf8), isCut: false))
    }
  }

  package func inspect(
    symbols: SymbolFile? = nil
  ) throws(InspectionRefusal) -> TargetReport {
    let threads = kernelThreads
    let inspections = Inspection.used(
      engines, memory, existing: Set(threads.map(\.kernelID)))
    let stacks = stacks(symbols)
    var notes: [String] = []
    if core.isCut { notes.append(CoreTarget.cut(core) + ", so parts of the report may be missing") }
    notes += CoreTarget.words(files.faults)
    if let note = symbols?.note { notes.append(note) }
    return TargetReport(
      process: core.notes.process, name: core.notes.name, uptime: nil, kernelThreads: threads,
      inspections: inspections, origin: origin, notes: notes, stacks: stacks, calls: calls)
  }

  private func stacks(_ symbols: SymbolFile?) -> [Int32: [SeenFrame]] {
    // This memory has limits of its own, so that stacks leave enough for the report.
    let memory = TargetMemory(CoreMemory(core, files, hasCode: true))
    let parts = core.notes.mappings.map { mapping in
      // A debugger leaves out code that is in files, so its access rights are not known.
      let flags = core.segment(at: mapping.start)?.flags ?? ELFHeader.Segment.executable
      return FilePart(
        start: mapping.start, end: mapping.end, offset: mapping.offset, path: mapping.path,
        hasCode: flags & ELFHeader.Segment.executable != 0)
    }
    let code = CodeFiles(parts, memory)
    let walker = StackWalker(code, memory)
    let stacks = core.notes.threads.map { thread in
      (
        thread.kernelID,
        walker.walk(
          StackRegisters(
            instruction: thread.registers.instruction, stack: thread.registers.stack,
            frame: thread.registers.frame))
      )
    }
    return StackNames.name(stacks, code) {
      symbols?.bytes(for: code.image(of: $0)) ?? files.file(of: $0)
    }
  }

  private var calls: [Int32: SystemCall] {
    let calls = core.notes.threads.compactMap { thread in
      thread.registers.call.map { (thread.kernelID, $0) }
    }
    return Dictionary(calls, uniquingKeysWith: { first, _ in first })
  }

  static func cut(_ core: CoreFile) -> String {
    "the core is cut: it has \(core.bytes.size) of \(core.wholeSize) bytes"
  }

  private static func words(_ faults: [String: String]) -> [String] {
    faults.sorted { $0.key < $1.key }.map { path, fault in
      "\(DisplayText.make(Array(path.utf8), isCut: false)) is needed for what it has of constants and stacks, and "
        + "cannot be used: \(fault)"
    }
  }

  private var kernelThreads: [KernelThread] {
    let notes = core.notes
    return notes.threads.enumerated().map { index, thread in
      // A core contains only the name of the main thread.
      KernelThread(
        outer: thread.kernelID, kernelID: thread.kernelID,
        name: thread.kernelID == notes.process ? notes.name : "",
        state: index == 0 && isSignalled ? .signalled : .unknown)
    }
  }

  private var signal: Int32 { core.notes.threads.first?.signal ?? 0 }

  /// Whether a signal ended the process. If a debugger wrote the core, the signal is 0, SIGSTOP or
  /// SIGTRAP: the process was only stopped, or continued to run.
  private var isSignalled: Bool { ![0, SIGSTOP, SIGTRAP].contains(signal) }

  private var origin: TargetReport.Origin {
    var words = "core of process \(core.notes.process) (\(core.notes.name))"
    if isSignalled {
      words += ", which was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    }
    return TargetReport.Origin(path: path, signal: isSignalled ? signal : 0, words: words)
  }
}
