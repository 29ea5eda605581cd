// CFRunLoop — a thread's run loop: the object behind the C interface and behind `RunLoop`.
//
// Touching    `state`: any thread, atomically. `modes`, `common`,
//             `coming`, `comingCalls`, `runs`, `runsBegun`, `waiters`,
//             `runLoopObject`, `hasEnded`: under `lock`.
//             `lazySleeper`: any thread, once. `blocks`, `calls`, `performs`, `spin`,
//             `hookState`: the loop's own thread. `watched`: see `WatchedDescriptors`.
// Invariants  I1  `lock` is held for a few instructions, or for one step per element of a list;
//                 never while the program's code runs or an item's last reference is dropped.
//             I2  a loop whose thread has ended is empty and stays empty.

import CSignalbox
import SignalboxRuntime
import Synchronization

/// A thread's run loop, as the C interface sees it.
///
/// ```swift
/// let loop = CFRunLoopGetCurrent()!
/// Thread { CFRunLoopPerformBlock(loop, .defaultMode) { print("here") }; CFRunLoopWakeUp(loop) }
///   .start()
/// CFRunLoopRunInMode(.defaultMode, 1, false)
/// ```
///
/// It is the same loop as the thread's ``RunLoop``; see ``RunLoop/getCFRunLoop()``. Call its
/// functions from any thread, except those that run it. A thread's loop is created on first use
/// and ends with the thread; anything you add afterwards is discarded. See <doc:RunLoops> for
/// the steps of a pass.
///
/// Source: Apple's documentation of `CFRunLoop`.
public final class CFRunLoop: @unchecked Sendable {  // SAFETY: see Touching.
  let state = LoopState()
  let lock = EngineLock()

  var modes: [LoopMode] = []
  var common = CommonModes()
  /// The blocks that were added since the loop last looked.
  var coming: [LoopBlocks.Entry] = []
  var blocks = LoopBlocks()
  let watched = WatchedDescriptors()
  /// The modes of the active runs, the innermost last.
  var runs: [LoopMode] = []
  /// The number of outermost runs that have begun.
  var runsBegun = 0
  /// The calls of other threads: new ones, then those that the loop has queued.
  var comingCalls: [LoopBlocks.Entry] = []
  var calls = LoopBlocks()
  /// The calls that a thread waits for.
  var waiters: [PerformCall] = []
  /// What the loop's own thread performs later.
  var performs = LoopPerforms()
  var hasEnded = false
  /// The ports that `RunLoop.add` has added, in any mode.
  var addedPorts: [ObjectIdentifier: Port] = [:]
  /// The `RunLoop` object, once the program has asked for it; until the thread ends.
  var runLoopObject: RunLoop?
  /// Whether and how long the loop spins before it sleeps.
  var spin = AdaptiveSpin()
  /// The work that another module does at the end of passes.
  var hookState = LoopHookState()
  /// Used by the main loop only, on the main thread.
  var mainQueueInput = MainQueueInput()

  let lazySleeper = AtomicLazyReference<LoopSleeper>()
  /// The number of the step that the loop reached last. Its thread writes it; only reports read it.
  let lastStep = SingleWriter<UInt8>(0)
  /// The thread's number, or 0 before the loop has a thread. That thread writes it; the number
  /// publishes no other data.
  let threadWord = SingleWriter<UInt32>(0)
  /// Whether it is the main thread's loop. Written before another thread has the loop.
  private let mainWord = SingleWriter(false)

  /// The loop's links in the registry's list.
  @exclusivity(unchecked) var links = ListLinks<Unmanaged<CFRunLoop>>()

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

  var asRunLoop: RunLoop {
    if let runLoopObject = lock.withLock({ runLoopObject }) { return runLoopObject }
    let new = RunLoop(self)
    return lock.withLock {
      // The two objects refer to each other until the thread ends. After that, the loop must not
      // keep a `RunLoop`, because nothing would break the cycle.
      if hasEnded { return new }
      if runLoopObject == nil { runLoopObject = new }
      return runLoopObject ?? new
    }
  }

  // MARK: Modes

  /// Returns the mode of this name, and creates it if there is none. Requires the lock.
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

  /// Returns the mode of this name, if there is one. Requires the lock.
  func existingMode(named name: CFRunLoopMode) -> LoopMode? { modes.first { $0.name == name } }

  private func nameless() -> Never {
    clientBug("a mode whose name is empty was used in \(words): give it a name.")
  }

  // MARK: Its thread

  var isMain: Bool { mainWord.load() }

  func becomeMain() { mainWord.store(true) }

  var thread: UInt32 { threadWord.load() }

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
