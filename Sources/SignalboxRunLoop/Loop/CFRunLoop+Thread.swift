// CFRunLoop+Thread — a thread's loop: made on first asking, freed with the thread.

import CSignalbox
import SignalboxRuntime
import SignalboxThreads

extension CFRunLoop {
  /// The loop of the process's first thread.
  static var main: CFRunLoop { LoopRegistry.shared.main }

  /// The calling thread's loop.
  static var current: CFRunLoop {
    if let raw = ThreadLoop.ofThisThread {
      // SAFETY: the thread has a reference until it ends.
      return Unmanaged<CFRunLoop>.fromOpaque(raw).takeUnretainedValue()
    }
    return makeForThisThread()
  }

  @inline(never)
  private static func makeForThisThread() -> CFRunLoop {
    LoopRegistry.prepare()
    let record = Thread.current.record
    let new = csb_thread_is_main() != 0 ? main : CFRunLoop.kept(by: record) ?? CFRunLoop()
    // Another thread may have made one meanwhile, to perform something here.
    let loop = record.keepLoop(new).map { unsafeDowncast($0, to: CFRunLoop.self) } ?? new
    // order: relaxed; a number, which carries nothing.
    loop.threadWord.store(csb_thread_number(), ordering: .relaxed)
    // SAFETY: the thread's reference, which its end gives back.
    ThreadLoop.set(Unmanaged.passRetained(loop).toOpaque()) {
      Unmanaged<CFRunLoop>.fromOpaque($0).takeRetainedValue().end()
    }
    return loop
  }

  /// Whether it is the calling thread's.
  var isCurrent: Bool {
    // SAFETY: an address to compare.
    ThreadLoop.ofThisThread == Unmanaged.passUnretained(self).toOpaque()
      || isMain && csb_thread_is_main() != 0
  }

  /// On the thread that ends: everything leaves the loop, and nothing comes any more.
  func end() {
    lock.lock()
    hasEnded = true
    let items = modes.flatMap(\.items)
    let dropped = coming + comingCalls
    coming = []
    comingCalls = []
    let waiting = waiters
    waiters = []
    let oldFace = face
    face = nil
    let ports = addedPorts
    addedPorts = [:]
    lock.unlock()
    ThreadRecord.ofThisThread?.dropLoop()
    for waiter in waiting { waiter.end() }
    performs.takeAll().cancel()
    dismissAttendant()
    // An item of several modes leaves them all at its first turn.
    for item in items { item.removeAll(from: self) }
    for port in ports.values { port.mail.forget(self) }
    blocks = LoopBlocks()
    calls = LoopBlocks()
    withExtendedLifetime((dropped, oldFace, ports)) {}
  }
}
