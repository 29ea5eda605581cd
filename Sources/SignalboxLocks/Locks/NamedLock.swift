// NamedLock — a lock that is an object, as reports and searches see it.

import SignalboxDispatch
package import SignalboxRuntime

/// A lock that has a name, perhaps, and an owner, perhaps.
package protocol NamedLock: AnyObject, Sendable, CustomStringConvertible {
  var name: String? { get }
  /// The name that the program gave it. Asked by reports, with a record of the engine's
  /// locked: so nothing that a subclass overrides may run.
  var givenName: String? { get }
  /// The number of the thread that holds it; 0 if none does.
  var owner: UInt32 { get }
  /// What a thread that does not hold the lock may do for those that wait for it.
  var release: WaitRelease { get }
}

/// What a thread waits for that waits for this lock.
@inline(never)
package func lockResource<Lock: NamedLock>(_ lock: Lock) -> WaitResource {
  WaitResource(
    // SAFETY: whoever waits for a lock holds a reference to it.
    object: lock.address, isTaken: true, release: lock.release,
    describe: { Unmanaged<Lock>.fromOpaque($0)._withUnsafeGuaranteedRef(\.words) },
    need: { raw, _ in
      // SAFETY: as above.
      let owner = Unmanaged<Lock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.owner)
      return owner == 0 ? .nobody : .thread(owner)
    }, place: { $0.place },
    // SAFETY: as above.
    name: { Unmanaged<Lock>.fromOpaque($0)._withUnsafeGuaranteedRef(\.givenName) })
}

extension NamedLock {
  /// An unlock by another thread is a fault that traps, or that changes nothing.
  package var release: WaitRelease { .nobody }

  /// Right where no subclass can override it.
  package var givenName: String? { name }

  /// An address to compare, and to follow as long as there is a reference.
  package var address: UnsafeRawPointer {
    // SAFETY: whoever waits for a lock holds a reference to it.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: Probes

  /// This thread has taken the lock: a probe.
  ///
  /// - Parameter byTry: whether it would not have waited for it for ever.
  @inline(__always)
  func tellTaken(byTry: Bool = false) { if Probe.hearsOfLocks { tellTakenSlow(byTry) } }

  /// This thread is about to leave the lock: a probe.
  @inline(__always)
  func tellLeft() { if Probe.hearsOfLocks { tellLeftSlow() } }

  /// The lock is about to be freed: a probe, without which another lock at its address
  /// would be taken for this one.
  @inline(__always)
  func tellFreed() { if Probe.hearsOfLocks { tellFreedSlow() } }

  // Functions of their own, so that the fast path keeps nothing for them.
  @inline(never)
  private func tellTakenSlow(_ byTry: Bool) { Probe.lockTaken(lockResource(self), byTry: byTry) }
  @inline(never)
  private func tellLeftSlow() { Probe.lockLeft(lockResource(self)) }
  @inline(never)
  private func tellFreedSlow() { Probe.lockFreed(address) }

  // MARK: Words

  /// The type and the name, or the address where there is none.
  var words: String {
    let type = TypeName.of(object: self)
    if let name = givenName { return "the \(type) \"\(name)\"" }
    return "the \(type) at 0x\(String(UInt(bitPattern: address), radix: 16))"
  }
}
