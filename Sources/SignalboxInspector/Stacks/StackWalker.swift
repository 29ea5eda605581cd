// StackWalker — the functions on a thread's stack, from its registers and the call frame information of the files.
//
// A stack is exact, but may be too short: the walk ends where a rule is not known, and guesses
// nothing.

struct StackRegisters {
  let instruction: UInt64
  let stack: UInt64
  /// nil if it is not known.
  let frame: UInt64?
}

final class StackWalker {
  private let memory: TargetMemory
  private let files: CodeFiles
  private var rules: [UInt64: FrameRules?] = [:]
  /// Pages of the stack that is walked.
  private var pages: [UInt64: [UInt8]] = [:]
  private static let pageSize: UInt64 = 4096

  init(_ files: CodeFiles, _ memory: TargetMemory) {
    self.files = files
    self.memory = memory
  }

  /// The addresses in the functions, the innermost first. All but the first are return addresses.
  func walk(_ registers: StackRegisters) -> [UInt64] {
    pages = [:]
    var addresses = [registers.instruction]
    var stack = registers.stack, frame = registers.frame
    while addresses.count < Limits.frames {
      // A call may end its function, so look up the byte before the return address.
      let place = addresses[addresses.count - 1] &- (addresses.count > 1 ? 1 : 0)
      guard let rules = rules(at: place), let saved = rules.returnAddress else { break }
      let base: UInt64? =
        switch rules.register {
        case FrameRules.Register.stack: stack
        case FrameRules.Register.frame: frame
        default: nil
        }
      guard let base else { break }
      let outer = base &+ UInt64(bitPattern: rules.distance)
      // A caller's frame is at a higher address.
      guard outer > stack, outer % 8 == 0,
        let address = word(at: outer &+ UInt64(bitPattern: saved)), address != 0
      else { break }
      if let saved = rules.savedFrame { frame = word(at: outer &+ UInt64(bitPattern: saved)) }
      stack = outer
      addresses.append(address)
    }
    return addresses
  }

  private func rules(at place: UInt64) -> FrameRules? {
    if let known = rules[place] { return known }
    let found = files.file(at: place)?.table?.rules(at: place)
    rules[place] = .some(found)
    return found
  }

  /// A word of the stack. A page is read once.
  private func word(at address: UInt64) -> UInt64? {
    guard address % 8 == 0 else { return nil }
    let page = address / StackWalker.pageSize
    if pages[page] == nil {
      guard pages.count < Limits.stackPages else { return nil }
      let size = Int(StackWalker.pageSize)
      pages[page] = memory.bytes(at: page * StackWalker.pageSize, count: size) ?? []
    }
    guard let bytes = pages[page], !bytes.isEmpty else { return nil }
    return TargetMemory.number(bytes, at: Int(address % StackWalker.pageSize), size: 8)
  }
}
