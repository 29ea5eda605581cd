// StackOverflows — threads that overflow their stacks, and threads that crash in other ways.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxThreads

let stackOverflowScenarios: [String: Scenario] = [
  "overflow-of-16-KiB": { overflow(named: "org.example.network.reader", stackSize: 16 << 10) },
  "overflow-of-1-MiB": { overflow(named: String(repeating: "é", count: 200), stackSize: 1 << 20) },
  "overflow-of-the-usual-stack": { overflow(named: nil, stackSize: nil) },
  "overflow-of-a-joinable-thread": {
    let thread = JoinableThread { report("depth", endless(1)) }
    thread.name = "joined"
    thread.start()
    thread.join()
  },
  // The second thread uses the signal stack of the first.
  "overflow-of-the-second-thread": {
    JoinableThread {}.started().join()
    overflow(named: "second", stackSize: 64 << 10)
  },
  // Frames larger than the guard was step over it.
  "overflow-by-large-frames": {
    let thread = Thread { report("depth", csc_overflow_in_large_frames(1)) }
    thread.stackSize = 256 << 10
    thread.name = "large"
    thread.start()
    while true { pause() }
  },
  "overflow-of-a-worker": {
    DispatchQueue(label: "org.example.parser").async { report("depth", endless(1)) }
    while true { pause() }
  },
  "overflow-of-a-renamed-thread": {
    let thread = Thread {
      while Thread.current.name != "after" { sched_yield() }
      report("depth", endless(1))
    }
    thread.name = "before"
    thread.start()
    thread.name = "after"
    while true { pause() }
  },
  "overflow-in-a-forked-child": {
    JoinableThread {}.started().join()
    let child = csc_fork()
    if child == 0 { overflow(named: "child", stackSize: 16 << 10) }
    report("status", csc_wait(child))
  },
  // The C library's newer guards are part of the stack's own mapping.
  "overflow-into-a-guard-of-the-mapping": {
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
  },

  // MARK: Crashes without our message

  "overflow-of-the-main-thread": {
    JoinableThread {}.started().join()
    report("depth", endless(1))
  },
  "overflow-of-a-foreign-thread": {
    JoinableThread {}.started().join()
    onOwnThread { report("depth", endless(1)) }
  },
  "null-pointer-on-a-thread": {
    onNewThread { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
  },
  "null-pointer-on-a-worker": {
    DispatchQueue(label: "org.example.null").async {
      UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
    }
    while true { pause() }
  },
  // Memory without access, like a guard, but elsewhere.
  "no-access-on-a-thread": {
    onNewThread {
      let memory = mmap(nil, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
      memory.storeBytes(of: 1, as: Int.self)
    }
  },
  "sent-signal-on-a-thread": { onNewThread { raise(SIGSEGV) } },

  // MARK: With other handlers

  "own-handler-before": {
    takeFaults { _ in _exit(33) }
    overflow(named: "own", stackSize: 16 << 10)
  },
  "own-handler-after": {
    JoinableThread {}.started().join()
    takeFaults { _ in _exit(33) }
    overflow(named: "own", stackSize: 16 << 10)
  },
  "own-handler-and-a-null-pointer": {
    takeFaults { _ in _exit(33) }
    onNewThread { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
  },
  // The handler restores the default action and returns: the fault occurs again.
  "own-handler-that-returns": {
    takeFaults { number in signal(number, SIG_DFL) }
    overflow(named: "own", stackSize: 16 << 10)
  },
  "ignored-faults": {
    signal(SIGSEGV, SIG_IGN)
    overflow(named: "ignored", stackSize: 16 << 10)
  },
  "source-and-overflow": {
    JoinableThread {}.started().join()
    let source = DispatchSource.makeSignalSource(signal: SIGSEGV)
    source.activate()
    while csb_signal_catch(SIGSEGV) != 0 { sched_yield() }
    overflow(named: "source", stackSize: 16 << 10)
  },
  "source-and-a-null-pointer": {
    JoinableThread {}.started().join()
    let source = DispatchSource.makeSignalSource(signal: SIGSEGV)
    source.activate()
    while csb_signal_catch(SIGSEGV) != 0 { sched_yield() }
    onNewThread { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
  },
]

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
