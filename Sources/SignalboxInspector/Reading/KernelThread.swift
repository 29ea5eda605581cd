// KernelThread — a thread in the kernel's list of a process.

package struct KernelThread {
  /// Its number here, and in the target's own namespace.
  let outer: Int32
  package let kernelID: Int32
  let name: String
  let state: State

  package enum State: String {
    case running, sleeping, uninterruptible, stopped, ended
    /// In a core: the thread that got the signal which ended the process, and all others.
    case signalled, unknown
  }

  package init(outer: Int32, kernelID: Int32, name: String, state: State) {
    self.outer = outer
    self.kernelID = kernelID
    self.name = name
    self.state = state
  }

  /// All threads of a process; empty if it is gone.
  package static func all(of process: Int32) -> [KernelThread] {
    let folder = "/proc/\(process)/task"
    let status = ProcessFile.text("/proc/\(process)/status") ?? ""
    // One number for each namespace.
    let isNested = ProcessFile.words("NSpid", in: status).count > 1
    return ProcessFile.numbers(in: folder).prefix(Limits.threads).compactMap { number in
      guard let stat = try? ProcessFile.read("\(folder)/\(number)/stat").get() else { return nil }
      var inner = number
      if isNested, let status = ProcessFile.text("\(folder)/\(number)/status"),
        let last = ProcessFile.words("NSpid", in: status).last, let id = Int32(last)
      {
        inner = id
      }
      return KernelThread(outer: number, kernelID: inner, stat: stat)
    }
  }

  /// From the bytes of "4711 (a name) S 1 …": the name may contain anything, even part of a
  /// character.
  private init?(outer: Int32, kernelID: Int32, stat: [UInt8]) {
    guard let open = stat.firstIndex(of: UInt8(ascii: "(")),
      let close = stat.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let name = Array(stat[(open + 1)..<close])
    let state = stat[(close + 1)...].first { $0 != UInt8(ascii: " ") } ?? UInt8(ascii: "S")
    self.init(
      outer: outer, kernelID: kernelID, name: DisplayText.make(name, isCut: false),
      state: State(letter: Character(Unicode.Scalar(state))))
  }
}

extension KernelThread.State {
  fileprivate init(letter: Character) {
    switch letter {
    case "R": self = .running
    case "D": self = .uninterruptible
    case "T", "t": self = .stopped
    case "Z", "X": self = .ended
    default: self = .sleeping
    }
  }

  /// - Parameter call: the system call in which the thread sleeps; nil if it is not known.
  func words(_ call: SystemCall?) -> String {
    guard let call else { return words }
    return switch self {
    // Signalbox itself may sleep in such a call.
    case .sleeping where call.isWaitForAnything: "\(words), in \(call.words)"
    case .sleeping: "sleeps outside Signalbox, in \(call.words)"
    case .uninterruptible, .signalled: "\(words), in \(call.words)"
    case .unknown: "\(words), but was in \(call.words)"
    case .running, .stopped, .ended: words
    }
  }

  private var words: String {
    switch self {
    case .running: "runs, or is ready to run"
    case .sleeping: "sleeps outside Signalbox, or has no work"
    case .uninterruptible: "waits in the kernel, for a disk or the like"
    case .stopped: "is stopped, by a signal or a debugger"
    case .ended: "has ended"
    case .signalled: "got the signal"
    case .unknown: "did not wait in a call of Signalbox"
    }
  }
}
