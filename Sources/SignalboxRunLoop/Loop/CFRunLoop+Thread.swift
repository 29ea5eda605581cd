// CFRunLoop+Thread — a thread's loop: created on first use, freed with the thread.

import CSignalbox
import SignalboxRuntime
import SignalboxThreads

extension CFRunLoop {
  static var main: CFRunLoop { LoopRegistry.shared.main }

  static var current: CFRunLoop {
    if let raw = ThreadLoop.ofThisThread {
      // SAFETY: the thread holds a reference until it ends.
      return Unmanaged<CFRunLoop>.fromOpaque(raw).takeUnretainedValue()
    }
    return makeForThisThread()
  }

  @inline(never)
  private static func makeForThisThread() -> CFRunLoop {
    LoopRegistry.prepare()
    let record = Thread.current.record
    let new = csb_thread_is_main() != 0 ? main : CFRunLoop.kept(by: record) ?? CFRunLoop()
    // Another thread may have created one in the meantime, to perform something here.
    let loop = record.keepLoop(new).map { unsafeDowncast($0, to: CFRunLoop.self) } ?? new
    loop.threadWord.store(csb_thread_number())
    // SAFETY: this reference belongs to the thread, whose end releases it.
    ThreadLoop.set(Unmanaged.passRetained(loop).toOpaque()) {
      Unmanaged<CFRunLoop>.fromOpaque($0).takeRetainedValue().end()
    }
    return loop
  }

  var isCurrent: Bool {
    // SAFETY: the address is only compared.
    ThreadLoop.ofThisThread == Unmanaged.passUnretained(self).toOpaque()
      || isMain && csb_thread_is_main() != 0
  }

  /// Runs on the ending thread: removes everything from the loop and refuses what is added
  /// later.
  func end() {
    lock.lock()
    hasEnded = true
    let items = modes.flatMap(\.items)
    let dropped = coming + comingCalls
    coming = []
    comingCalls = []
    let waiting = waiters
    waiters = []
    let oldObject = runLoopObject
    runLoopObject = nil
    let ports = addedPorts
    addedPorts = [:]
    lock.unlock()
    ThreadRecord.ofThisThread?.dropLoop()
    for waiter in waiting { waiter.end() }
    performs.takeAll().cancel()
    dismissHook()
    // An item in several modes leaves them all on its first turn.
    for item in items { item.removeAll(from: self) }
    for port in ports.values { port.mail.forget(self) }
    blocks = LoopBlocks()
    calls = LoopBlocks()
    withExtendedLifetime((dropped, oldObject, ports)) {}
  }
}
