// CFRunLoop — a thread's run loop: the object behind the C interface and behind `RunLoop`.
//
// Touching    `state`, `lastStep`: any thread, atomically. `modes`, `common`,
//             `coming`, `comingCalls`, `runs`, `runsBegun`, `waiters`,
//             `face`, `hasEnded`: under `lock`.
//             `lazySleeper`: any thread, once. `blocks`, `calls`, `performs`, `spin`,
//             `attendance`: the loop's own thread. `watched`: see there.
// Invariants  I1  `lock` is held for a few instructions at a time, or for as many as a list
//                 has items, and never while anything of the program's is called or an
//                 item's last reference is dropped.
//             I2  a loop whose thread has ended is empty and stays so.

import CSignalbox
import SignalboxRuntime
import Synchronization

/// A thread's run loop, in the C interface.
///
/// ```swift
/// let loop = CFRunLoopGetCurrent()!
/// Thread { CFRunLoopPerformBlock(loop, .defaultMode) { print("here") }; CFRunLoopWakeUp(loop) }
///   .start()
/// CFRunLoopRunInMode(.defaultMode, 1, false)
/// ```
///
/// It is the same loop as the thread's ``RunLoop``; see ``RunLoop/getCFRunLoop()``. All its
/// functions may be called from any thread, but for those that run it. A thread's loop is
/// made when it is first asked for and ends with the thread; what is added to it afterwards
/// is not kept. See <doc:RunLoops> for what it does in which order.
///
/// Source: Apple's documentation of `CFRunLoop`.
public final class CFRunLoop: @unchecked Sendable {  // SAFETY: see Touching.
  let state = LoopState()
  let lock = EngineLock()

  var modes: [LoopMode] = []
  var common = CommonModes()
  /// The blocks that have come since the loop last looked.
  var coming: [LoopBlocks.Entry] = []
  var blocks = LoopBlocks()
  let watched = WatchedDescriptors()
  /// The modes in which it runs now, the innermost run last.
  var runs: [LoopMode] = []
  /// How many runs have begun that were in no other.
  var runsBegun = 0
  /// What other threads perform here, as it came; and as it waits in line.
  var comingCalls: [LoopBlocks.Entry] = []
  var calls = LoopBlocks()
  /// Those of them that a thread waits for.
  var waiters: [PerformCall] = []
  /// What its own thread performs later.
  var performs = LoopPerforms()
  var hasEnded = false
  /// The ports that were added to it by `RunLoop.add`, in whichever modes.
  var addedPorts: [ObjectIdentifier: Port] = [:]
  /// The loop as a `RunLoop`, once it was asked for; until the thread's end.
  var face: RunLoop?
  /// Whether it waits awake before it sleeps.
  var spin = AdaptiveSpin()
  /// Who does something for another module at the end of passes.
  var attendance = LoopAttendance()
  /// The main thread's, of the main loop.
  var mainQueueInput = MainQueueInput()

  let lazySleeper = AtomicLazyReference<LoopSleeper>()
  /// The number of the step that it came to last.
  let lastStep = Atomic<UInt8>(0)
  /// The thread's number; 0 while it has none.
  let threadWord = Atomic<UInt32>(0)

  private let mainWord = Atomic<Bool>(false)

  // The registry's.
  var next: Unmanaged<CFRunLoop>?
  var previous: Unmanaged<CFRunLoop>?

  init() {
    modes.reserveCapacity(4)
    for name in CommonModes.first {
      let mode = LoopMode(name, of: self)
      mode.becomeCommon()
      mode.isNamed = name == .defaultMode
      modes.append(mode)
    }
    runs.reserveCapacity(4)
    LoopRegistry.shared.add(self)
  }

  deinit { LoopRegistry.shared.remove(self) }

  /// The loop as it is called elsewhere.
  var asRunLoop: RunLoop {
    if let face = lock.withLock({ face }) { return face }
    let new = RunLoop(self)
    return lock.withLock {
      // A thread's end breaks the circle of the two; after it there is none.
      if hasEnded { return new }
      if face == nil { face = new }
      return face ?? new
    }
  }

  // MARK: Modes

  /// Under the lock: the mode of this name, made if there is none.
  func mode(named name: CFRunLoopMode) -> LoopMode {
    for mode in modes where mode.name == name {
      mode.isNamed = true
      return mode
    }
    if name.rawValue.isEmpty { nameless() }
    let mode = LoopMode(name, of: self)
    mode.isNamed = true
    modes.append(mode)
    return mode
  }

  /// Under the lock: the mode of this name, if there is one.
  func existingMode(named name: CFRunLoopMode) -> LoopMode? { modes.first { $0.name == name } }

  private func nameless() -> Never {
    clientBug("a mode of \(words) was used whose name is empty: give it a name.")
  }

  // MARK: Its thread

  /// Whether it is the loop of the process's first thread.
  var isMain: Bool {
    mainWord.load(ordering: .relaxed)  // order: relaxed; set before anyone has the loop.
  }

  func becomeMain() {
    mainWord.store(true, ordering: .relaxed)  // order: relaxed; as above.
  }

  var thread: UInt32 {
    threadWord.load(ordering: .relaxed)  // order: relaxed; a number, which carries nothing.
  }

  /// "the run loop of thread 7 (…)"
  var words: String {
    if isMain { return "the main run loop" }
    return "the run loop of \(ThreadName.of(thread))"
  }
}

extension CFRunLoop: Hashable, CustomStringConvertible {
  public static func == (a: CFRunLoop, b: CFRunLoop) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var description: String { "<CFRunLoop: \(words)>" }
}
