// StackOverflows — threads that overflow their stacks, and threads that crash in other ways.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxThreads

package enum StackOverflowScenario: String, CountedScenario {
  case overflowOf16KiB = "overflow-of-16-KiB"
  case overflowOf1MiB = "overflow-of-1-MiB"
  case overflowOfTheUsualStack = "overflow-of-the-usual-stack"
  case overflowOfAJoinableThread = "overflow-of-a-joinable-thread"
  case overflowOfTheSecondThread = "overflow-of-the-second-thread"
  case overflowByLargeFrames = "overflow-by-large-frames"
  case overflowOfAWorker = "overflow-of-a-worker"
  case overflowOfARenamedThread = "overflow-of-a-renamed-thread"
  case overflowInAForkedChild = "overflow-in-a-forked-child"
  case overflowIntoAGuardOfTheMapping = "overflow-into-a-guard-of-the-mapping"
  case overflowOfTheMainThread = "overflow-of-the-main-thread"
  case overflowOfAForeignThread = "overflow-of-a-foreign-thread"
  case nullPointerOnAThread = "null-pointer-on-a-thread"
  case nullPointerOnAWorker = "null-pointer-on-a-worker"
  case noAccessOnAThread = "no-access-on-a-thread"
  case sentSignalOnAThread = "sent-signal-on-a-thread"
  case ownHandlerBefore = "own-handler-before"
  case ownHandlerAfter = "own-handler-after"
  case ownHandlerAndANullPointer = "own-handler-and-a-null-pointer"
  case ownHandlerThatReturns = "own-handler-that-returns"
  case ignoredFaults = "ignored-faults"
  case sourceAndOverflow = "source-and-overflow"
  case sourceAndANullPointer = "source-and-a-null-pointer"
}

extension StackOverflowScenario: Scenario {
  func run() {
    switch self {
    case .overflowOf16KiB:
      overflow(named: "org.example.network.reader", stackSize: 16 << 10)
    case .overflowOf1MiB:
      overflow(named: String(repeating: "é", count: 200), stackSize: 1 << 20)
    case .overflowOfTheUsualStack:
      overflow(named: nil, stackSize: nil)
    case .overflowOfAJoinableThread:
      let thread = JoinableThread { report("depth", endless(1)) }
      thread.name = "joined"
      thread.start()
      thread.join()
    // The second thread uses the signal stack of the first.
    case .overflowOfTheSecondThread:
      JoinableThread {}.started().join()
      overflow(named: "second", stackSize: 64 << 10)
    // Frames larger than the guard was step over it.
    case .overflowByLargeFrames:
      let thread = Thread { report("depth", csc_overflow_in_large_frames(1)) }
      thread.stackSize = 256 << 10
      thread.name = "large"
      thread.start()
      while true { pause() }
    case .overflowOfAWorker:
      DispatchQueue(label: "org.example.parser").async { report("depth", endless(1)) }
      while true { pause() }
    case .overflowOfARenamedThread:
      let thread = Thread {
        while Thread.current.name != "after" { sched_yield() }
        report("depth", endless(1))
      }
      thread.name = "before"
      thread.start()
      thread.name = "after"
      while true { pause() }
    case .overflowInAForkedChild:
      JoinableThread {}.started().join()
      let child = csc_fork()
      if child == 0 { overflow(named: "child", stackSize: 16 << 10) }
      report("status", csc_wait(child))
    // The C library's newer guards are part of the stack's own mapping.
    case .overflowIntoAGuardOfTheMapping:
      let thread = Thread {
        let error = csc_guard_own_stack()
        if error != 0 {
          report("refused", error)
          exit(0)
        }
        report("depth", endless(1))
      }
      thread.stackSize = 256 << 10
      thread.start()
      while true { pause() }
    // MARK: Crashes without our message
    case .overflowOfTheMainThread:
      JoinableThread {}.started().join()
      report("depth", endless(1))
    case .overflowOfAForeignThread:
      JoinableThread {}.started().join()
      onOwnThread { report("depth", endless(1)) }
    case .nullPointerOnAThread:
      onNewThread { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
    case .nullPointerOnAWorker:
      DispatchQueue(label: "org.example.null").async {
        UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
      }
      while true { pause() }
    // Memory without access, like a guard, but elsewhere.
    case .noAccessOnAThread:
      onNewThread {
        let memory = mmap(nil, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        memory.storeBytes(of: 1, as: Int.self)
      }
    case .sentSignalOnAThread:
      onNewThread { raise(SIGSEGV) }
    // MARK: With other handlers
    case .ownHandlerBefore:
      takeFaults { _ in _exit(33) }
      overflow(named: "own", stackSize: 16 << 10)
    case .ownHandlerAfter:
      JoinableThread {}.started().join()
      takeFaults { _ in _exit(33) }
      overflow(named: "own", stackSize: 16 << 10)
    case .ownHandlerAndANullPointer:
      takeFaults { _ in _exit(33) }
      onNewThread { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
    // The handler restores the default action and returns: the fault occurs again.
    case .ownHandlerThatReturns:
      takeFaults { number in signal(number, SIG_DFL) }
      overflow(named: "own", stackSize: 16 << 10)
    case .ignoredFaults:
      signal(SIGSEGV, SIG_IGN)
      overflow(named: "ignored", stackSize: 16 << 10)
    case .sourceAndOverflow:
      JoinableThread {}.started().join()
      let source = DispatchSource.makeSignalSource(signal: SIGSEGV)
      source.activate()
      while csb_signal_catch(SIGSEGV) != 0 { sched_yield() }
      overflow(named: "source", stackSize: 16 << 10)
    case .sourceAndANullPointer:
      JoinableThread {}.started().join()
      let source = DispatchSource.makeSignalSource(signal: SIGSEGV)
      source.activate()
      while csb_signal_catch(SIGSEGV) != 0 { sched_yield() }
      onNewThread { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
    }
  }
}

private func overflow(named name: String?, stackSize: Int?) -> Never {
  let thread = Thread { report("depth", endless(1)) }
  thread.name = name
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
  while true { pause() }
}

private func onNewThread(_ body: @escaping @Sendable () -> Void) -> Never {
  Thread.detachNewThread(body)
  while true { pause() }
}

/// Installs the program's own handler on the signal stack.
private func takeFaults(_ handler: @escaping @convention(c) (Int32) -> Void) {
  var action = sigaction()
  action.__sigaction_handler.sa_handler = handler
  action.sa_flags = SA_ONSTACK
  sigaction(SIGSEGV, &action, nil)
}

@inline(never)
private func endless(_ depth: Int) -> Int {
  var bytes = (depth, depth, depth, depth)
  return withUnsafeMutablePointer(to: &bytes) { endless($0.pointee.0 + 1) + $0.pointee.3 }
}

extension JoinableThread {
  fileprivate func started() -> Self {
    start()
    return self
  }
}
