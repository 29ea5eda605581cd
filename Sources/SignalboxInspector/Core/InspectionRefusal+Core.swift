// InspectionRefusal+Core — why a core cannot be inspected, and what to do.

extension InspectionRefusal {
  init(core path: String, _ fault: CoreFault) {
    switch fault {
    case .file(.notRegular):
      self.init(.core, "\(path) is not a regular file: write the core to one first")
    case .file(let error): self.init(.core, "\(path): \(error.words)")
    case .compressed(let packer):
      self.init(.core, "\(path) is compressed: unpack it first, with `\(packer)`")
    case .notELF: self.init(.core, "\(path) is not a core: it is no ELF file")
    case .notACore:
      self.init(
        .core, "\(path) is not a core, but a program, a library or the like: name the core first")
    case .foreign: self.init(.core, "\(path) is not of a 64-bit program: only those can be read")
    case .machine(let machine):
      self.init(
        .core,
        "\(path) is a core from another machine (ELF machine \(machine), this one is "
          + "\(ELFHeader.ownMachine)): use signalbox on a machine of that kind")
    case .cut:
      self.init(
        .core,
        "\(path) is cut within its headers. `ulimit -c unlimited` lets the system write whole cores"
      )
    case .tooLarge:
      self.init(.core, "\(path) has more parts of memory than signalbox reads")
    case .noThreads:
      self.init(.core, "\(path) has no notes of threads, so it is no core of a process")
    }
  }

  init(program: String, ofCore path: String, _ mismatch: FileMismatch) {
    self.init(.core, "\(program) is not the program of \(path): \(mismatch.words)")
  }

  init(coreWithoutStacks path: String, _ core: CoreFile) {
    self.init(
      .core,
      core.isCut
        ? "\(path): \(CoreTarget.cut(core)), and nothing of a thread's stack. `ulimit -c unlimited` "
          + "lets the system write whole cores"
        : "\(path) does not contain the memory that the process has written to: bit 0 of its "
          + "/proc/PID/coredump_filter must be set before")
  }

  /// No engine that can be read was found.
  ///
  /// - Parameter faults: files that were needed and cannot be used.
  init(
    core path: String, _ core: CoreFile, _ findings: EngineFinder.Findings, _ faults: [String]
  ) {
    let title = "\(path), the core of process \(core.notes.process) (\(core.notes.name)),"
    if core.isCut {
      self.init(
        .core,
        "\(path): \(CoreTarget.cut(core)), and none of them contains Signalbox. `ulimit -c unlimited` lets the "
          + "system write whole cores")
    } else if let fault = faults.first, findings.refused.isEmpty {
      self.init(.core, "\(title) has no Signalbox in it, as far as it can be read: \(fault)")
    } else {
      self.init(title: title, findings)
    }
  }
}
