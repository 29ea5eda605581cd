// ThreadRecord — what is known of a thread: its number, its name, its priority, how far
// it has come. The engine's part of a `Thread`.
//
// A thread that is started here has one from the beginning, any other once it is asked
// for. While its thread lives, the thread's own storage holds a reference, and the list
// of all (`ThreadRegistry`) another.
//
// Touching    `life`, `ending`, `numberWord`: any thread, atomically. `attributes`,
//             `keptLoop`, `needsNoLoop`: under `lock`. `face`: written before the start and by the thread's end.
//             `next`, `previous`: the registry's.
// Invariants  I1  `attributes.kernelID` is 0 unless the thread lives: with `lock` held
//                 a kernel id that is not 0 is that thread's and no other's.

import CSignalbox
import Synchronization

/// What stands behind a record: the object that the program knows.
package struct ThreadFace: @unchecked Sendable {
  // SAFETY: retained as long as the record's thread lives; see `ThreadRecord.face`.
  package let object: Unmanaged<AnyObject>
  /// Runs the thread's body. nil for a thread that was not started here.
  package let run: (@convention(c) (UnsafeRawPointer) -> Void)?
  /// Called on the thread when its body is over.
  package let end: @convention(c) (UnsafeRawPointer) -> Void
  /// Called on a joinable thread, as its last step, if nobody will join it.
  package let endDetached: @convention(c) (UnsafeRawPointer) -> Void

  package init(
    object: Unmanaged<AnyObject>, run: (@convention(c) (UnsafeRawPointer) -> Void)?,
    end: @escaping @convention(c) (UnsafeRawPointer) -> Void,
    endDetached: @escaping @convention(c) (UnsafeRawPointer) -> Void
  ) {
    self.object = object
    self.run = run
    self.end = end
    self.endDetached = endDetached
  }
}

// SAFETY: see Touching.
package final class ThreadRecord: @unchecked Sendable {
  package let life: ThreadLife
  package let ending = ThreadEnding()
  /// Whether the thread was made by other means than a start from here.
  package let isForeign: Bool
  private let numberWord = Atomic<UInt32>(0)

  private let lock = EngineLock()
  private var attributes = ThreadAttributes()
  private var keptLoop: AnyObject?
  private var needsNoLoop = false

  /// Set while the thread lives, for a started one from its start on.
  package var face: ThreadFace?
  /// Whether it was started to be joined. The system is told nothing of that: there
  /// every thread gives back at its end what it has.
  package internal(set) var isJoinable = false
  /// Whether it is to be started joinable.
  package var wantsJoin = false
  /// Whether the process's end is to wait for it.
  package var mustFinish = false
  /// How many forks lay behind the process when it was started.
  private var forks: UInt32 = 0
  /// The bytes of stack that it was started with; 0: the usual number.
  var stackSize = 0
  /// Whether the thread inherits a name in the kernel's list that is another's.
  var inheritsName = false

  /// Links of the registry's list.
  @exclusivity(unchecked) var links = ListLinks<Unmanaged<ThreadRecord>>()

  /// Of a thread that is to be started.
  package init() {
    life = ThreadLife(.fresh)
    isForeign = false
  }

  /// Of a thread that runs already.
  package init(ofRunningThread: Void) {
    life = ThreadLife(.executing)
    isForeign = true
  }

  /// The thread's number; 0 before it has begun.
  package var number: UInt32 {
    numberWord.load(ordering: .relaxed)  // order: relaxed; a number, which carries nothing.
  }

  /// This thread's record, if it has one.
  package static var ofThisThread: ThreadRecord? {
    // SAFETY: the storage's reference lives as long as the thread.
    csb_thread_self().pointee.record.map {
      Unmanaged<ThreadRecord>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether the thread stayed behind in the parent of this process.
  package var isLost: Bool {
    !isForeign && forks != Fork.count && number != csb_thread_number()
  }

  func noteStart() { forks = Fork.count }

  // MARK: Attributes

  /// Reads or changes the attributes, with nothing else done meanwhile.
  func withAttributes<T>(_ body: (inout ThreadAttributes) -> T) -> T {
    lock.withLock { body(&attributes) }
  }

  /// In a forked child, on its only thread: whoever held the lock is not here.
  func attributesAfterFork(_ body: (inout ThreadAttributes) -> Void) {
    lock.forgetHolder()
    body(&attributes)
  }

  // MARK: The run loop, which others find here

  /// The thread's run loop, if it has one: also one that another thread has made for it,
  /// and that it will have when it asks for its own.
  package var loop: AnyObject? { lock.withLock { keptLoop } }

  /// Has `new` be the thread's run loop, unless it has one.
  ///
  /// - Returns: which it is; nil if the thread's is gone already.
  package func keepLoop(_ new: AnyObject) -> AnyObject? {
    lock.withLock {
      if needsNoLoop { return nil }
      if keptLoop == nil { keptLoop = new }
      return keptLoop
    }
  }

  /// On the thread, when its run loop ends.
  package func dropLoop() {
    lock.lock()
    let old = keptLoop
    keptLoop = nil
    needsNoLoop = true
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  // MARK: Beginning and end, on the thread itself

  /// The first step of a thread that was started, or the adoption of one that was not.
  package func enter() {
    let storage = csb_thread_self()
    // SAFETY: given back by `leave`.
    storage.pointee.record = Unmanaged.passRetained(self).toOpaque()
    let thread = csb_thread_number()
    // order: relaxed; a number, which carries nothing.
    numberWord.store(thread, ordering: .relaxed)
    let error = ThreadEnd.arrange()
    if error != 0 {
      environmentFailure(
        "pthread_key_create", error,
        "the end of a thread cannot be seen, nor its memory returned; use fewer keys.")
    }
    let kernelID = isForeign ? csb_thread_kernel_id() : csb_thread_find_kernel_id(thread)
    if isForeign { forks = Fork.count } else { csb_overflow_begin(stackSize) }
    withAttributes { attributes in
      attributes.kernelID = kernelID
      attributes.storage = storage
      if !isForeign { attributes.takeEffectHere(inheritsName: inheritsName) }
    }
  }

  /// The body of a started thread.
  func run() {
    enter()
    life.execute()
    Probe.thread(.threadStarted, self)
    guard let face, let body = face.run else { internalBug("a thread without a body began.") }
    body(UnsafeRawPointer(face.object.toOpaque()))
  }

  /// The thread's end, however it came about. Called by `ThreadEnd`.
  static func endThisThread() {
    guard let raw = csb_thread_self().pointee.record else { return }
    // SAFETY: the storage's reference.
    let record = Unmanaged<ThreadRecord>.fromOpaque(raw)
    let face = record._withUnsafeGuaranteedRef { $0.leave() }
    // Whoever asks from here on is answered with a new one.
    csb_thread_self().pointee.record = nil
    // SAFETY: retained by who set the face.
    face?.object.release()
    // SAFETY: the storage's reference, taken by `enter`.
    record.release()
  }

  /// - Returns: the face that is to be released.
  private func leave() -> ThreadFace? {
    let face = self.face
    let object = face.map { UnsafeRawPointer($0.object.toOpaque()) }
    if let face, let object { face.end(object) }
    if !isForeign { Probe.thread(.threadEnded, self) }
    withAttributes { attributes in
      attributes.kernelID = 0
      attributes.storage = nil
    }
    let isMain = ThreadRegistry.shared.remove(self)
    let duties = ending.end()
    if duties.mustWake { WaitingDoor.wake(ending.address, count: .max) }
    if isJoinable && duties.isDetached, let face, let object { face.endDetached(object) }
    // Others may ask for the main thread's object as long as the process lives.
    if isMain { return nil }
    self.face = nil
    return face
  }
}

extension Probe {
  static func thread(_ kind: ProbeEvent.Kind, _ record: ThreadRecord) {
    // SAFETY: an address to compare.
    step(kind, UnsafeRawPointer(Unmanaged.passUnretained(record).toOpaque()))
  }
}
