// ThreadRecord — what the engine knows about a thread: its number, its name, its priority,
// and the stage of its life. The engine's part of a `Thread`.
//
// A thread that Signalbox starts has a record from the beginning; any other thread gets one
// when its object is first asked for. While the thread is alive, its own storage holds a
// reference to the record, and the list of all records (`ThreadRegistry`) holds another.
//
// Touching    `life`, `ending`: any thread, atomically. `attributes`,
//             `keptLoop`, `needsNoLoop`: under `lock`. `handle`: written before the start
//             and by the thread's end. `links`: the registry's.
// Invariants  I1  `attributes.kernelID` is 0 unless the thread is alive: while `lock`
//                 is held, a kernel id that is not 0 belongs to that thread alone.

import CSignalbox

/// The thread object of the program, and what it does at the steps of the thread's life.
package struct ThreadHandle: @unchecked Sendable {
  // SAFETY: retained while the record's thread is alive; see `ThreadRecord.handle`.
  package let object: Unmanaged<AnyObject>
  /// Runs the thread's body. nil for a thread that Signalbox did not start.
  package let run: (@convention(c) (UnsafeRawPointer) -> Void)?
  /// Called on the thread when its body has ended.
  package let end: @convention(c) (UnsafeRawPointer) -> Void
  /// Called on a joinable thread, as its last step, if it was detached.
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
  /// Whether Signalbox did not start the thread.
  package let isForeign: Bool
  /// See `number`. The thread writes it at its start; it publishes no other data.
  private let numberWord = SingleWriter<UInt32>(0)

  private let lock = EngineLock()
  private var attributes = ThreadAttributes()
  private var keptLoop: AnyObject?
  private var needsNoLoop = false

  /// Set while the thread is alive; for a thread that Signalbox starts, from the start
  /// on.
  package var handle: ThreadHandle?
  /// Whether the thread was started as joinable. The system does not know this: to the system every
  /// thread is detached and frees its resources at its end.
  package internal(set) var isJoinable = false
  /// Whether to start the thread as joinable.
  package var wantsJoin = false
  /// Whether the process waits for the thread before it exits.
  package var mustFinish = false
  /// The number of forks before the process started the thread.
  private var forkCount: UInt32 = 0
  /// The size of its stack in bytes; 0 for the usual size.
  var stackSize = 0
  /// Whether the thread inherits another thread's name in the kernel's list.
  var inheritsName = false

  @exclusivity(unchecked) var links = ListLinks<Unmanaged<ThreadRecord>>()

  /// Creates the record of a thread that has not started.
  package init() {
    life = ThreadLife(.fresh)
    isForeign = false
  }

  /// Creates the record of a thread that already runs.
  package init(ofRunningThread: Void) {
    life = ThreadLife(.executing)
    isForeign = true
  }

  /// The thread's number; 0 before the thread has begun.
  package var number: UInt32 { numberWord.load() }
  /// The word with that number.
  package var numberAddress: UnsafeRawPointer { addressOfWord(numberWord) }

  /// The record of the calling thread, if it has one.
  package static var ofThisThread: ThreadRecord? {
    // SAFETY: the storage's reference lives as long as the thread.
    csb_thread_self().pointee.record.map {
      Unmanaged<ThreadRecord>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether the thread stayed behind in the parent process.
  package var isLost: Bool {
    !isForeign && forkCount != Fork.count && number != csb_thread_number()
  }

  func noteStart() { forkCount = Fork.count }

  // MARK: Attributes

  /// Reads or changes the attributes under the lock.
  func withAttributes<T>(_ body: (inout ThreadAttributes) -> T) -> T {
    lock.withLock { body(&attributes) }
  }

  /// In a forked child, called on its only thread: a thread that held the lock does not exist
  /// there.
  func attributesAfterFork(_ body: (inout ThreadAttributes) -> Void) {
    lock.forgetHolder()
    body(&attributes)
  }

  // MARK: The run loop, for other threads

  /// The thread's run loop, if it has one. Another thread may have created it; then the thread gets
  /// that object when it asks for its own.
  package var loop: AnyObject? { lock.withLock { keptLoop } }

  /// Makes `new` the thread's run loop, unless it has one.
  ///
  /// - Returns: the thread's loop; nil if the thread's loop has already ended.
  package func keepLoop(_ new: AnyObject) -> AnyObject? {
    lock.withLock {
      if needsNoLoop { return nil }
      if keptLoop == nil { keptLoop = new }
      return keptLoop
    }
  }

  /// Called on the thread when its run loop ends.
  package func dropLoop() {
    lock.lock()
    let old = keptLoop
    keptLoop = nil
    needsNoLoop = true
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  // MARK: Beginning and end, on the thread itself

  /// Begins the record: the first step of a started thread, or the adoption of a foreign
  /// one.
  package func enter() {
    let storage = csb_thread_self()
    // SAFETY: released by `endThisThread`.
    storage.pointee.record = Unmanaged.passRetained(self).toOpaque()
    let thread = csb_thread_number()
    numberWord.store(thread)
    let error = ThreadEnd.arrange()
    if error != 0 {
      environmentFailure(
        "pthread_key_create", error,
        "the end of a thread cannot be detected, nor its memory returned; use fewer keys.")
    }
    let kernelID = isForeign ? csb_thread_kernel_id() : csb_thread_find_kernel_id(thread)
    if isForeign { forkCount = Fork.count } else { csb_overflow_begin(stackSize) }
    withAttributes { attributes in
      attributes.kernelID = kernelID
      attributes.storage = storage
      if !isForeign { attributes.takeEffectHere(inheritsName: inheritsName) }
    }
  }

  /// Runs the body of a started thread.
  func run() {
    enter()
    life.execute()
    Probe.thread(.threadStarted, self)
    guard let handle, let body = handle.run else {
      internalBug("a thread was started without a body.")
    }
    body(UnsafeRawPointer(handle.object.toOpaque()))
  }

  /// Ends the calling thread's record, however the thread ends. `ThreadEnd` calls this.
  static func endThisThread() {
    guard let raw = csb_thread_self().pointee.record else { return }
    // SAFETY: the storage's reference.
    let record = Unmanaged<ThreadRecord>.fromOpaque(raw)
    let handle = record._withUnsafeGuaranteedRef { $0.leave() }
    // A thread that asks for its record from here on gets a new one.
    csb_thread_self().pointee.record = nil
    // SAFETY: retained when the handle was set.
    handle?.object.release()
    // SAFETY: the storage's reference, taken by `enter`.
    record.release()
  }

  /// - Returns: the handle to release.
  private func leave() -> ThreadHandle? {
    let handle = self.handle
    let object = handle.map { UnsafeRawPointer($0.object.toOpaque()) }
    if let handle, let object { handle.end(object) }
    if !isForeign { Probe.thread(.threadEnded, self) }
    withAttributes { attributes in
      attributes.kernelID = 0
      attributes.storage = nil
    }
    let isMain = ThreadRegistry.shared.remove(self)
    let duties = ending.end()
    if duties.mustWake { Parking.wake(ending.address, count: .max) }
    if isJoinable && duties.isDetached, let handle, let object { handle.endDetached(object) }
    // Other threads may ask for the main thread's object as long as the process lives.
    if isMain { return nil }
    self.handle = nil
    return handle
  }
}

extension Probe {
  static func thread(_ kind: EventKind, _ record: ThreadRecord) {
    // SAFETY: an address to compare.
    step(kind, UnsafeRawPointer(Unmanaged.passUnretained(record).toOpaque()))
  }
}
