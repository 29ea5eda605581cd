// WaitRecord — what one thread waits for now, for reports and for the search for deadlocks.
//
// A thread gets its record at its first slow wait, a worker when it starts. A list of all records
// holds the record until the thread ends. Publishing takes the record's own lock, which no other
// thread wants unless a report is being written or a wait takes long.
//
// The engine only writes records. `SignalboxDiagnostics` reads them.
//
// Touching    `wait`, `seen`: under `lock`. `epoch`: written under `lock`, read by any thread.
//             `told`, `toldAsFinal`: diagnostics. `links`: the registry's.
// Ordering    WR1  publish's and withdraw's releasing store of `epoch` → an
//                  acquiring load: a reader that sees the epoch sees the record.
// Invariants  I1  `epoch` is odd exactly while the thread waits; it never
//                 repeats, so two equal readings mean one and the same wait.
//             I2  while another thread holds `lock` and `epoch` is odd, the
//                 thread does not return from its wait. So three things do not
//                 change: its stack, what the stack holds references to, and the
//                 lists of queues from which only this thread may take items.

package import CSignalbox
package import Synchronization

package final class WaitRecord: Sendable {
  /// The thread's number.
  package let thread: UInt32
  package let kernelID: Int32
  /// Whether the thread is the process's first one.
  package let isMain: Bool
  /// Whether the thread is a worker of the pool.
  package let isWorker: Bool
  package let epoch = Atomic<UInt64>(0)
  /// The beginning of the wait in which the thread was last named in a report.
  // SAFETY: read and written under the lock of `DeadlockReport`.
  package nonisolated(unsafe) var told: UInt64 = 0
  /// The same as `told`, for reports of cycles that no other thread can end.
  // SAFETY: read and written under the lock of `DeadlockReport`.
  package nonisolated(unsafe) var toldAsFinal: UInt64 = 0

  package let lock = EngineLock()
  /// The current wait, or the last one.
  // SAFETY: read and written under `lock`.
  package private(set) nonisolated(unsafe) var wait = Wait.none

  // SAFETY: read and written under the registry's lock.
  @exclusivity(unchecked) nonisolated(unsafe) var links = ListLinks<Unmanaged<WaitRecord>>()

  /// The thread's own storage, which exists while the thread waits.
  // SAFETY: others read it only while the thread waits, under `lock`: I2.
  package nonisolated(unsafe) let storage: UnsafePointer<csb_thread>

  /// What a reader in another process sees of the thread. Its links are the registry's.
  // SAFETY: freed by `deinit`. The wait is written under `lock`.
  nonisolated(unsafe) let seen = UnsafeMutablePointer<csb_outside_thread>.allocate(capacity: 1)

  /// A wait, as the waiting thread published it.
  package struct Wait {
    package let reason: WaitReason
    package let resource: WaitResource
    package let deadline: Deadline
    /// The word on which the thread sleeps, if any, and the value of that word while the
    /// wait is not over.
    package let word: UnsafeRawPointer?
    package let expected: UInt32
    package let stack: ThreadStack?
    /// When the wait began, on the uptime clock.
    package let since: UInt64
    /// The registers of the function that waits; all zeros if they are not known.
    package let place: csb_place

    fileprivate static var none: Wait {
      Wait(
        reason: .test, resource: .named("nothing"), deadline: .never, word: nil, expected: 0,
        stack: nil, since: 0, place: csb_place())
    }
  }

  private init() {
    thread = csb_thread_number()
    kernelID = csb_thread_kernel_id()
    isMain = csb_thread_is_main() != 0
    isWorker = Worker.ofThisThread != nil
    storage = UnsafePointer(csb_thread_self())
    seen.initialize(to: csb_outside_thread())
    seen.pointee.number = thread
    seen.pointee.kernel_id = kernelID
    seen.pointee.is_main = isMain ? 1 : 0
    seen.pointee.is_worker = isWorker ? 1 : 0
    seen.pointee.name = csb_thread_name()
  }

  deinit { seen.deallocate() }

  // MARK: For the thread itself

  /// - Parameters:
  ///   - word: the word on which the thread is about to sleep; nil if it sleeps on none.
  ///   - expected: the word's value as long as the wait is not over.
  ///   - since: when the wait began, on the uptime clock; nil for now.
  ///   - place: the registers of the caller, which must not return before the wait ends; all zeros
  ///     if they are not known.
  // Not inlined, so that its variables are off the stack while the thread sleeps.
  @inline(never)
  package func publish(
    reason: WaitReason, resource: WaitResource, deadline: Deadline,
    word: UnsafeRawPointer? = nil, expected: UInt32 = 0, since: UInt64? = nil,
    at place: csb_place = csb_place()
  ) {
    let since = since ?? Clock.uptime.now
    let stack = ThreadStack(thread: thread, isMain: isMain)
    let new = Wait(
      reason: reason, resource: resource, deadline: deadline, word: word, expected: expected,
      stack: stack, since: since, place: place)
    // Do this before the lock is taken, so that the lock is held only for the copy.
    let shown = WaitRecord.shown(new)
    lock.lock()
    let old = wait
    wait = new
    csb_outside_thread_wait(seen, shown)
    advance()
    lock.unlock()
    // Release the resource of the previous wait here, after the lock is released.
    withExtendedLifetime(old) {}
  }

  package func withdraw() {
    lock.lock()
    advance()
    lock.unlock()
  }

  private func advance() {
    // order: relaxed; only the lock's holder writes it.
    let old = epoch.load(ordering: .relaxed)
    epoch.store(old + 1, ordering: .releasing)  // order: releasing, WR1
    csb_outside_thread_step(seen, old + 1)
  }

  /// What readers in other processes see of the wait.
  private static func shown(_ wait: Wait) -> csb_outside_wait {
    let view = wait.resource.view
    var shown = csb_outside_wait()
    shown.since = wait.since
    shown.object = wait.resource.object
    // SAFETY: a literal of several characters, which ends with a zero.
    shown.title = view.title.map {
      UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self)
    }
    shown.label = view.label.address
    shown.label_kind = view.label.kind
    shown.holder = view.holder.address
    shown.holder_kind = view.holder.kind
    shown.word = wait.word
    shown.expected = wait.expected
    shown.reason = wait.reason.rawValue
    shown.release = wait.resource.release.rawValue
    shown.has_deadline = wait.deadline.isNever ? 0 : 1
    shown.is_taken = wait.resource.isTaken ? 1 : 0
    shown.place = wait.place
    wait.stack?.show(in: &shown)
    return shown
  }

  /// Whether the thread waits. The caller holds the lock.
  package var isWaiting: Bool {
    epoch.load(ordering: .acquiring) % 2 == 1  // order: acquiring, WR1
  }

  /// Whether the calling thread, whose record this is, is between `publish` and
  /// `withdraw`.
  package var isPublished: Bool {
    epoch.load(ordering: .relaxed) % 2 == 1  // order: relaxed; only this thread writes it.
  }

  // MARK: The record of each thread

  /// The record of the calling thread, created on first use.
  package static var ofThisThread: WaitRecord {
    if let raw = csb_thread_self().pointee.wait_record {
      // SAFETY: the list of all records holds a reference until the thread ends.
      return Unmanaged<WaitRecord>.fromOpaque(raw).takeUnretainedValue()
    }
    return makeForThisThread()
  }

  @inline(never)
  private static func makeForThisThread() -> WaitRecord {
    // Do this first: from now on, a fork waits while the registry is being initialized.
    Fork.joinRuntime()
    let record = WaitRecord()
    WaitRegistry.shared.add(record)
    // SAFETY: unretained; the registry keeps the record until the thread ends.
    csb_thread_self().pointee.wait_record = Unmanaged.passUnretained(record).toOpaque()
    ThreadEnd.arrange()
    return record
  }
}

/// Cleans up a thread's storage when the thread ends.
package enum ThreadEnd {
  /// Arranges that this thread's storage is freed at its end. You can call this
  /// repeatedly.
  ///
  /// - Returns: 0, ENOMEM or EAGAIN. An error means only that this thread's storage is
  ///   not freed.
  @discardableResult
  package static func arrange() -> Int32 {
    Fork.joinRuntime()
    return csb_thread_at_exit {
      let storage = csb_thread_self()
      PutOffWork.forgetAll()
      // End the run loop first, because the program's values in it may use everything else. The
      // thread's run loop is gone before a thread that joins this one continues. The second call
      // ends a run loop that was created in between.
      ThreadLoop.endOfThisThread()
      ThreadRecord.endThisThread()
      ThreadLoop.endOfThisThread()
      storage.pointee.object_locks_end?()
      ReaderBlocks.giveBackAll()
      NodeCache.releaseAll()
      if let raw = storage.pointee.wait_record {
        storage.pointee.wait_record = nil
        // SAFETY: the registry's reference, which `remove` releases.
        WaitRegistry.shared.remove(Unmanaged<WaitRecord>.fromOpaque(raw))
      }
      // Do this last, because everything before it may be recorded.
      Probe.observer?.threadEnds()
      csb_overflow_end()
    }
  }
}
