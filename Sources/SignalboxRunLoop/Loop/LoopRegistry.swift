// LoopRegistry — all loops of the process, through links in them, for the moment of a fork;
// and which of them is the main one.
//
// Before a fork the locks of all items and loops are taken, in this order, so that what they
// guard is whole in the child; then that of the trace. There, the loops of threads that are
// not there have ended.
//
// Touching    the links, `main` once it is made: under `lock`; in a child, by its only
//             thread. `trace`: see there.
// Invariants  I1  a loop is in the list from its making until its last reference goes.
//             I2  whoever needs the registry, the locks of items or the trace for the first
//                 time comes by `prepare`: no process forks while they are made.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

final class LoopRegistry: @unchecked Sendable {  // SAFETY: see Touching.
  static var shared: LoopRegistry {
    prepare()
    return made
  }

  static let made = LoopRegistry()

  /// Who is told of steps.
  let trace = LoopTrace()

  private let lock = EngineLock()
  private var first: Unmanaged<CFRunLoop>?
  private var count = 0
  private var mainLoop: CFRunLoop?

  private init() {}

  // MARK: Once

  /// Makes what is made once, unless it is made.
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
      // A type that is made for the first time needs a lock of the Swift runtime's.
      _ = CFRunLoop()
    }
    ReportSources.shared.add {
      if $0.loops == nil { $0.loops = { LoopRegistry.shared.glances } }
    }
  }

  /// The loop of the process's first thread.
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
    let new = Unmanaged.passUnretained(loop)  // SAFETY: removed before it is freed.
    lock.lock()
    loop.next = first
    first?._withUnsafeGuaranteedRef { $0.previous = new }
    first = new
    count += 1
    lock.unlock()
  }

  func remove(_ loop: CFRunLoop) {
    lock.lock()
    if let previous = loop.previous {
      previous._withUnsafeGuaranteedRef { $0.next = loop.next }
    } else {
      first = loop.next
    }
    loop.next?._withUnsafeGuaranteedRef { $0.previous = loop.previous }
    count -= 1
    lock.unlock()
  }

  // MARK: Reports

  /// What can be seen of each loop that has not ended. One that is ending stays in the list
  /// until this is over, and nothing of it is torn down before.
  private var glances: [LoopGlance] {
    var all: [LoopLook] = []
    // Room is made outside the lock, for some that come meanwhile too.
    var room = 8
    while true {
      all.reserveCapacity(room)
      lock.lock()
      let wanted = count
      if wanted <= room {
        forEach { loop in
          if let look = loop.look { all.append(look) }
        }
        lock.unlock()
        return all.map(\.glance)
      }
      lock.unlock()
      room = wanted + 8
    }
  }

  // MARK: Around a fork

  private static func lockForFork() {
    MadeOnce.make()
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

  /// In the child, on its only thread.
  private func forgetLost() {
    forEach { loop in
      if loop.thread != 0 && Fork.hasLost(loop.thread) { loop.hasEnded = true }
    }
    // The survivor is the process's first thread now.
    if let raw = ThreadLoop.ofThisThread {
      // SAFETY: the thread's reference.
      let loop = Unmanaged<CFRunLoop>.fromOpaque(raw).takeUnretainedValue()
      if loop === mainLoop { return }
      loop.becomeMain()
      keepForEver(loop)
    } else if let mainLoop, mainLoop.hasEnded {
      keepForEver(nil)
    }
  }

  /// In a child: what was the main loop is never freed, since that would take a lock.
  private func keepForEver(_ new: CFRunLoop?) {
    if let mainLoop { _ = Unmanaged.passRetained(mainLoop) }  // SAFETY: never released.
    mainLoop = new
  }

  private func forEach(_ body: (CFRunLoop) -> Void) {
    var next = first
    while let loop = next {
      // SAFETY: one whose last reference goes waits for the lock to leave the list.
      loop._withUnsafeGuaranteedRef {
        body($0)
        next = $0.next
      }
    }
  }
}
