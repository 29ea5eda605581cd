// CoreRegisters — the registers of a thread in a core that are needed to read its stack.
//
// Sources     <sys/user.h> and <sys/procfs.h> for the order.

struct CoreRegisters {
  /// Where the thread was, the top of its stack, and its frame.
  let instruction: UInt64
  let stack: UInt64
  let frame: UInt64
  /// The system call that the thread was in; nil if it was in none, or if the registers do not show
  /// it, as on arm64.
  let call: SystemCall?

  #if arch(x86_64)
    /// rip, rsp, rbp
    private static let order = (instruction: 16, stack: 19, frame: 4)
    static let size = 27 * 8
  #elseif arch(arm64)
    /// pc, sp, x29
    private static let order = (instruction: 32, stack: 31, frame: 29)
    static let size = 34 * 8
  #endif

  init(_ status: [UInt8], at start: Int) {
    func register(_ index: Int) -> UInt64 {
      TargetMemory.number(status, at: start + index * 8, size: 8)
    }
    instruction = register(CoreRegisters.order.instruction)
    stack = register(CoreRegisters.order.stack)
    frame = register(CoreRegisters.order.frame)
    #if arch(x86_64)
      // orig_rax, which is -1 outside a call, and rdi
      call = SystemCall(number: register(15), first: register(14))
    #else
      call = nil
    #endif
  }
}
