// SystemCallTrace — counts the system calls of a process's first thread.
//
// The program starts itself once more with the same arguments and traces that
// child with `ptrace`. An unprivileged process in a container may do that to a
// child that asks for it. Only the asking thread is stopped; workers run on.
// To mark the begin and the end of the counting, the child closes an impossible
// descriptor: the number in the first argument is visible on every architecture.

import CSystemCalls
import Glibc

enum SystemCallTrace {
  private static let childMark = "SIGNALBOX_FACTS_TRACED"
  private static let begin: Int32 = -1_000_001
  private static let end: Int32 = -1_000_002

  /// In the first process: runs the same scenario in a traced child and reports `systemCalls`,
  /// and how often each kernel number was used. In that child: runs the body.
  static func countOfMainThread(_ body: () -> Void) {
    if getenv(childMark) != nil { return body() }
    setenv(childMark, "1", 1)
    trace(spawnSelf())
  }

  /// In the traced child: counts the system calls of the body.
  static func counting(_ body: () -> Void) {
    guard ptrace(.traceMe, 0, 0, 0) == 0 else { fail("ptrace: errno \(errno)") }
    raise(SIGSTOP)
    close(begin)
    body()
    close(end)
  }

  /// Runs the body in a forked child and kills the child at its n-th stop; there is one stop
  /// before and one after each system call. Returns false if the child ended sooner.
  static func killing(atStop number: Int, _ body: () -> Void) -> Bool {
    let child = csc_fork()
    if child == 0 {
      counting(body)
      _exit(0)
    }
    var stops = 0
    var isCounting = false
    var status: Int32 = 0
    while true {
      guard waitpid(child, &status, 0) == child else { fail("waitpid: errno \(errno)") }
      guard status & 0xFF == 0x7F else { break }
      switch (status >> 8) & 0xFF {
      case SIGSTOP: _ = ptrace(.setOptions, child, 0, systemCallsAreMarked)
      case SIGTRAP | 0x80:
        if let call = enteredCall(of: child) {
          let argument = Int32(truncatingIfNeeded: call.firstArgument)
          if argument == begin { isCounting = true }
          if argument == end { isCounting = false }
        }
        if isCounting { stops += 1 }
        if isCounting && stops == number {
          kill(child, SIGKILL)
          guard csc_wait(child) == 256 + SIGKILL else { fail("the child outlived its end") }
          return true
        }
      default: fail("the child was stopped by a signal: status \(status)")
      }
      guard ptrace(.continueToCall, child, 0, 0) == 0 else { fail("ptrace: errno \(errno)") }
    }
    guard status == 0 else { fail("the traced child ended with status \(status)") }
    return false
  }

  private static func spawnSelf() -> pid_t {
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child = pid_t()
    let result = posix_spawn(&child, "/proc/self/exe", nil, nil, &arguments, environ)
    guard result == 0 else { fail("posix_spawn: errno \(result)") }
    return child
  }

  private static func trace(_ child: pid_t) {
    var counts: [UInt64: Int] = [:]
    var isCounting = false
    var status: Int32 = 0
    while true {
      guard waitpid(child, &status, 0) == child else { fail("waitpid: errno \(errno)") }
      let isStopped = status & 0xFF == 0x7F
      guard isStopped else { break }
      let signal = (status >> 8) & 0xFF
      var delivered = 0
      switch signal {
      case SIGSTOP:
        // With this option a stop at a system call cannot be mistaken for a signal.
        _ = ptrace(.setOptions, child, 0, systemCallsAreMarked)
      case SIGTRAP | 0x80:
        if let call = enteredCall(of: child) {
          switch Int32(truncatingIfNeeded: call.firstArgument) {
          case begin: isCounting = true
          case end: isCounting = false
          default: if isCounting { counts[call.number, default: 0] += 1 }
          }
        }
      default:
        delivered = Int(signal)
      }
      guard ptrace(.continueToCall, child, 0, delivered) == 0 else {
        fail("ptrace: errno \(errno)")
      }
    }
    guard status == 0 else { fail("the traced process ended with status \(status)") }
    report("systemCalls", counts.values.reduce(0, +))
    for (number, count) in counts.sorted(by: { $0.key < $1.key }) {
      report("systemCall\(number)", count)
    }
  }

  private struct EnteredCall {
    var number: UInt64
    var firstArgument: UInt64
  }

  /// The call that the child is entering, or nil if it returns from one.
  private static func enteredCall(of child: pid_t) -> EnteredCall? {
    // In `struct ptrace_syscall_info`, the first byte says what happened; the call's number and
    // its six arguments begin at offset 24.
    let size = 88
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      let address = Int(bitPattern: buffer.baseAddress)
      guard ptrace(.systemCallInformation, child, size, address) > 0 else {
        fail("ptrace: errno \(errno)")
      }
      let isEntry = buffer[0] == 1
      guard isEntry else { return nil }
      return EnteredCall(
        number: buffer.load(fromByteOffset: 24, as: UInt64.self),
        firstArgument: buffer.load(fromByteOffset: 32, as: UInt64.self))
    }
  }

  // MARK: The call itself

  private enum Request: Int {
    case traceMe = 0
    case continueToCall = 24
    case setOptions = 0x4200
    case systemCallInformation = 0x420E
  }

  private static let systemCallsAreMarked = 1

  // Swift cannot import a C function with variable arguments. Linux passes them like other
  // arguments on x86_64 and on arm64.
  private typealias Function = @convention(c) (Int, pid_t, Int, Int) -> Int
  private static let function: Function = {
    guard let symbol = dlsym(nil, "ptrace") else { fail("this C library has no ptrace") }
    // SAFETY: the symbol has this signature.
    return unsafeBitCast(symbol, to: Function.self)
  }()

  private static func ptrace(
    _ request: Request, _ process: pid_t, _ address: Int, _ data: Int
  ) -> Int {
    function(request.rawValue, process, address, data)
  }
}
