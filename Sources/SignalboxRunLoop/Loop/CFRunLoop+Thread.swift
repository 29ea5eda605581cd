// CFRunLoop+Thread — a thread's loop: made on first asking, freed with the thread.

import CSignalbox
import SignalboxRuntime

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
    let loop = csb_thread_is_main() != 0 ? main : CFRunLoop()
    // order: relaxed; a number, which carries nothing.
    loop.threadWord.store(csb_thread_number(), ordering: .relaxed)
    // SAFETY: released by the registry when the thread ends.
    ThreadLoop.set(Unmanaged.passRetained(loop).toOpaque())
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
    let dropped = coming
    coming = []
    let oldFace = face
    face = nil
    lock.unlock()
    // An item of several modes leaves them all at its first turn.
    for item in items { item.removeAll(from: self) }
    blocks = LoopBlocks()
    withExtendedLifetime((dropped, oldFace)) {}
  }
}
