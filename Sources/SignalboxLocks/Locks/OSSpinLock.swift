// OSSpinLock — the old names of a spin lock: a word that the program keeps.
//
// Touching    the word: any thread, atomically, as the `LockState` that lies there.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

/// A word that is a spin lock: 0 while it is free.
///
/// Apple has deprecated these names since its systems of 2016, for the reason that
/// ``SpinLock`` tells; they are here for programs that have them. New code uses `NSLock`.
///
/// Source: Apple's manual page of `OSSpinLock`.
public typealias OSSpinLock = Int32

/// The value of a lock that is free.
public var OS_SPINLOCK_INIT: OSSpinLock { 0 }

/// Takes a spin lock, waiting for it awake; see ``SpinLock`` for how long.
///
/// The lock must lie where it does not move, in memory that the program allocated. A
/// thread that takes a lock which it holds already is reported as a deadlock.
///
/// Source: Apple's manual page of `OSSpinLock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
public func OSSpinLockLock(_ lock: UnsafeMutablePointer<OSSpinLock>) {
  let thread = csb_thread_number()
  let state = state(lock)
  if !state.pointee.take(thread) { state.pointee.takeSpinning(thread, on: resource(lock)) }
  Probe.lockTaken(resource(lock))
}

/// Takes a spin lock if it is free.
///
/// Source: Apple's manual page of `OSSpinLock`.
///
/// - Returns: whether it was taken.
@available(*, noasync, message: "Use async-safe scoped locking instead")
public func OSSpinLockTry(_ lock: UnsafeMutablePointer<OSSpinLock>) -> Bool {
  guard state(lock).pointee.take(csb_thread_number()) else { return false }
  Probe.lockTaken(resource(lock), byTry: true)
  return true
}

/// Leaves a spin lock. Another thread than the one that took it does so too, and is said
/// once on standard error.
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
  // SAFETY: a `LockState` is one atomic word, whose free value is 0; as long as the program
  // uses it as a lock, nothing else reads or writes it.
  UnsafeMutableRawPointer(lock).assumingMemoryBound(to: LockState.self)
}

@inline(never)
private func resource(_ lock: UnsafeMutablePointer<OSSpinLock>) -> WaitResource {
  WaitResource(
    // Nobody says when the word is something else's.
    object: UnsafeRawPointer(lock), isTaken: true, endsUntold: true, release: .unlock,
    describe: { "the OSSpinLock at 0x\(String(UInt(bitPattern: $0), radix: 16))" },
    need: { raw, _ in
      // SAFETY: as in `state`; whoever waits keeps the memory.
      let owner = raw.assumingMemoryBound(to: LockState.self).pointee.owner
      return owner == 0 ? .nobody : .thread(owner)
    }, place: { $0.place })
}

private func words(_ lock: UnsafeMutablePointer<OSSpinLock>) -> String {
  resource(lock).description
}
