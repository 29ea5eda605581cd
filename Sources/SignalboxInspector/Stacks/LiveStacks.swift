// LiveStacks — the stacks of the threads of a process that sleep in the kernel.
//
// A thread that waits in a call of Signalbox has written the registers of the function that waits.
// For any other thread the kernel reports where it is and where the top of its stack is, but not
// the frame register. Such a stack ends at the first function that needs this register, but
// few functions in optimized code do.
//
// Sources     proc_pid_syscall(5).

struct LiveStacks {
  private let process: Int32
  private let code: CodeFiles
  private let walker: StackWalker
  private let memory: TargetMemory
  private let symbols: SymbolFile?

  /// - Parameter reader: a thread of the process that still has memory.
  init(of process: Int32, reader: Int32, maps: String, _ symbols: SymbolFile?) {
    self.process = process
    self.symbols = symbols
    memory = TargetMemory(ProcessMemory(of: reader))
    code = CodeFiles(MappedFiles.parts(maps), memory)
    walker = StackWalker(code, memory)
  }

  /// By the threads' numbers in the target's own namespace.
  ///
  /// - Parameter waiting: the threads that wait in a call of Signalbox.
  func read(_ threads: [KernelThread], waiting: [SeenThread]) -> [Int32: [SeenFrame]] {
    var waits: [Int32: SeenWait] = [:]
    for thread in waiting { waits[thread.kernelID] = thread.wait }
    let stacks = threads.compactMap { thread in
      (waits[thread.kernelID].flatMap { stack(of: $0) } ?? stack(of: thread.outer)).map {
        (thread.kernelID, $0)
      }
    }
    return StackNames.name(stacks, code) { file(of: $0) }
  }

  /// nil if the wait is over, or the engine does not say where the thread waits.
  private func stack(of wait: SeenWait) -> [UInt64]? {
    guard let place = wait.place, !memory.isExhausted else { return nil }
    let addresses = walker.walk(place.registers)
    return memory.number(at: place.epochAddress) == wait.epoch ? addresses : nil
  }

  /// nil if the thread runs, or did something else meanwhile.
  private func stack(of thread: Int32) -> [UInt64]? {
    let path = "/proc/\(process)/task/\(thread)/syscall"
    // "202 0x7f… … 0x7f… 0x7f…": the last two are the top of the stack and the place.
    guard !memory.isExhausted, memory.failure == 0, let before = ProcessFile.text(path) else {
      return nil
    }
    let words = before.split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, let stack = LiveStacks.number(words[words.count - 2]),
      let place = LiveStacks.number(words[words.count - 1]), place != 0
    else { return nil }
    let addresses = walker.walk(StackRegisters(instruction: place, stack: stack, frame: nil))
    return ProcessFile.text(path) == before ? addresses : nil
  }

  private static func number(_ word: Substring) -> UInt64? {
    word.hasPrefix("0x") ? UInt64(word.dropFirst(2), radix: 16) : nil
  }

  /// The file of code, as the process sees it, if it is still the same.
  private func file(of code: CodeFile) -> FileBytes? {
    let places = ["/proc/\(process)/root\(code.path)", "/proc/\(process)/exe"]
    let then = self.code.image(of: code)
    if let symbols = symbols?.bytes(for: then) { return symbols }
    for place in places {
      if let then, let file = try? FileBytes(place),
        let now = FileImage({ file.bytes(at: $0, count: $1) }), (try? then.check(now)) != nil
      {
        return file
      }
    }
    return nil
  }
}
