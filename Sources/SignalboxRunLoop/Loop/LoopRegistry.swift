// LoopRegistry — lists all loops of the process, so that a fork can lock them, and knows the
// main loop.
//
// A fork takes the locks of all items, then of all loops, then of the trace, so that what they
// guard is consistent in the child. In the child, the loops of threads that the fork left
// behind have ended.
//
// Touching    `list`, the loops' links, `mainLoop`: under `lock`; in a child, by its only thread.
//             `trace`: see `LoopTrace`.
// Invariants  I1  a loop is in the list from its initialization until its last reference is
//                 released.
//             I2  the first use of the registry, the items' locks or the trace goes through
//                 `prepare`, so no process forks while they are being created.

import CSignalbox
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime

final class LoopRegistry: @unchecked Sendable {  // SAFETY: see Touching.
  static var shared: LoopRegistry {
    prepare()
    return made
  }

  static let made = LoopRegistry()

  let trace = LoopTrace()

  private let lock = EngineLock()
  private var list = IntrusiveList<AllLoops>()
  private var mainLoop: CFRunLoop?

  private init() {}

  // MARK: Once

  /// Initializes the module's globals on first use.
  @inline(__always)
  static func prepare() {
    if !Fork.hasJoined(.loops) { prepareSlow() }
  }

  @inline(never)
  private static func prepareSlow() {
    Fork.join(
      .loops, prepare: { LoopRegistry.lockForFork() },
      release: { LoopRegistry.made.unlockAll() }, child: { LoopRegistry.made.forgetLost() }
    ) {
      _ = LoopRegistry.made
      ItemLock.makeAll()
      // The first use of a type takes a lock of the Swift runtime.
      _ = CFRunLoop()
    }
    ReportSources.shared.add {
      if $0.loops == nil { $0.loops = { LoopRegistry.shared.reports } }
    }
  }

  var main: CFRunLoop {
    if let main = lock.withLock({ mainLoop }) { return main }
    let new = CFRunLoop()
    let main = lock.withLock {
      if let mainLoop { return mainLoop }
      mainLoop = new
      new.becomeMain()
      return new
    }
    MainQueueDrain.noteMainLoop { CFRunLoopRun() }
    MainThreadUse.note()
    return main
  }

  // MARK: The list

  func add(_ loop: CFRunLoop) {
    // SAFETY: removed before it is freed.
    lock.withLock { list.prepend(Unmanaged.passUnretained(loop)) }
  }

  func remove(_ loop: CFRunLoop) {
    // SAFETY: the loop is being freed, and its deinitializer waits for this call.
    lock.withLock { _ = list.remove(Unmanaged.passUnretained(loop)) }
  }

  // MARK: Reports

  /// A snapshot of each loop that has not ended. A loop that is ending stays in the list,
  /// intact, until this call is over.
  private var reports: [SignalboxReport.RunLoop] {
    lock.snapshot(of: list) { $0._withUnsafeGuaranteedRef { $0.look } }.map(\.report)
  }

  // MARK: Around a fork

  private static func lockForFork() {
    LazyStatics.force()
    made.lockAll()
  }

  private func lockAll() {
    ItemLock.lockAll()
    lock.lock()
    forEach { $0.lock.lock() }
    trace.lock.lock()
  }

  private func unlockAll() {
    trace.lock.unlock()
    forEach { $0.lock.unlock() }
    lock.unlock()
    ItemLock.unlockAll()
  }

  /// Runs in the child, on its only thread.
  private func forgetLost() {
    forEach { loop in
      if loop.thread != 0 && Fork.hasLost(loop.thread) { loop.hasEnded = true }
    }
    // The surviving thread is now the main thread.
    if let raw = ThreadLoop.ofThisThread {
      // SAFETY: the thread holds a reference.
      let loop = Unmanaged<CFRunLoop>.fromOpaque(raw).takeUnretainedValue()
      if loop === mainLoop { return }
      loop.becomeMain()
      keepForEver(loop)
    } else if let mainLoop, mainLoop.hasEnded {
      keepForEver(nil)
    }
  }

  /// Keeps the parent's main loop forever in a child, because freeing it would take a lock.
  private func keepForEver(_ new: CFRunLoop?) {
    if let mainLoop { _ = Unmanaged.passRetained(mainLoop) }  // SAFETY: never released.
    mainLoop = new
  }

  private func forEach(_ body: (CFRunLoop) -> Void) {
    // SAFETY: a loop must take the lock to leave the list, and so is not freed during the walk.
    for loop in list { loop._withUnsafeGuaranteedRef(body) }
  }
}

private enum AllLoops: ListLinkage {
  static func links(of loop: Unmanaged<CFRunLoop>) -> ListLinks<Unmanaged<CFRunLoop>>.Pointer {
    loop._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}
