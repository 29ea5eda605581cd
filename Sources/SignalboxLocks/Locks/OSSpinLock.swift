// OSSpinLock — the old names of a spin lock, a word in the program's memory.
//
// Touching    the word: any thread, atomically, as the `LockState` at that address.

import CSignalbox
import SignalboxRuntime

/// A word that is a spin lock; 0 while it is free.
///
/// Apple deprecated these names in 2016, for the reason given in ``SpinLock``; they exist for
/// programs that use them. New code uses `NSLock`.
///
/// Source: Apple's manual page of `OSSpinLock`.
public typealias OSSpinLock = Int32

/// The value of a free lock.
public var OS_SPINLOCK_INIT: OSSpinLock { 0 }

/// Acquires a spin lock. If it must wait, it first stays awake; see ``SpinLock`` for how long.
///
/// The lock must be at an address that does not change, in memory that the program allocated. A
/// thread that locks a lock which it holds already is reported as a deadlock.
///
/// Source: Apple's manual page of `OSSpinLock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
public func OSSpinLockLock(_ lock: UnsafeMutablePointer<OSSpinLock>) {
  let thread = csb_thread_number()
  let state = state(lock)
  if !state.pointee.take(thread) { state.pointee.takeSpinning(thread, on: resource(lock)) }
  Probe.lockTaken(resource(lock))
}

/// Acquires a spin lock if it is free.
///
/// Source: Apple's manual page of `OSSpinLock`.
///
/// - Returns: whether it acquired the lock.
@available(*, noasync, message: "Use async-safe scoped locking instead")
public func OSSpinLockTry(_ lock: UnsafeMutablePointer<OSSpinLock>) -> Bool {
  guard state(lock).pointee.take(csb_thread_number()) else { return false }
  Probe.lockTaken(resource(lock), byTry: true)
  return true
}

/// Releases a spin lock. An unlock by a thread that did not lock it succeeds and is reported once
/// on standard error.
///
/// Source: Apple's manual page of `OSSpinLock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
public func OSSpinLockUnlock(_ lock: UnsafeMutablePointer<OSSpinLock>) {
  Probe.lockLeft(resource(lock))
  let thread = csb_thread_number()
  let state = state(lock)
  let old = state.pointee.leave()
  guard old != thread else { return }
  let owner = old & LockState.ownerMask
  if owner != thread { LockMisuse.wasUnlocked(owner, by: thread, words(lock), isLeft: true) }
  state.pointee.endLeaving(old)
}

private func state(_ lock: UnsafeMutablePointer<OSSpinLock>) -> UnsafeMutablePointer<LockState> {
  // SAFETY: a `LockState` is one atomic word, whose free value is 0; while the program uses the
  // word as a lock, nothing else reads or writes it.
  UnsafeMutableRawPointer(lock).assumingMemoryBound(to: LockState.self)
}

@inline(never)
private func resource(_ lock: UnsafeMutablePointer<OSSpinLock>) -> WaitResource {
  WaitResource(
    // The program may use the word for something else at any time, without any report.
    object: UnsafeRawPointer(lock), isTaken: true, endsUntold: true, release: .unlock,
    describe: { "the OSSpinLock at 0x\(String(UInt(bitPattern: $0), radix: 16))" },
    need: { raw, _ in
      // SAFETY: a `LockState` in memory that the waiting thread keeps; see `state`.
      let owner = raw.assumingMemoryBound(to: LockState.self).pointee.owner
      return owner == 0 ? .nobody : .thread(owner)
    }, place: { $0.place }, view: .lock("the OSSpinLock", UnsafeRawPointer(lock)))
}

private func words(_ lock: UnsafeMutablePointer<OSSpinLock>) -> String {
  resource(lock).description
}
