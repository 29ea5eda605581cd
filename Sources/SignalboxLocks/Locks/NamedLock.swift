// NamedLock — a lock object as reports and deadlock searches see it.

package import SignalboxRuntime

/// A lock that may have a name and an owner.
package protocol NamedLock: AnyObject, Sendable, CustomStringConvertible {
  var name: String? { get }
  /// The name that the program gave it. Reports read it while they hold a lock of the engine, so
  /// no override in a subclass may run.
  var givenName: String? { get }
  /// The number of the thread that holds it; 0 if none does.
  var owner: UInt32 { get }
  /// What a reader in another process sees of it.
  var view: OutsideView { get }
  /// What a thread that does not hold the lock may do for the threads that wait for it.
  var release: WaitRelease { get }
}

/// The resource of a thread that waits for this lock.
@inline(never)
package func lockResource<Lock: NamedLock>(_ lock: Lock) -> WaitResource {
  WaitResource(
    // SAFETY: a thread that waits for a lock holds a reference to it.
    object: lock.address, isTaken: true, release: lock.release,
    describe: { Unmanaged<Lock>.fromOpaque($0)._withUnsafeGuaranteedRef(\.words) },
    need: { raw, _ in
      // SAFETY: a thread that waits for a lock holds a reference to it.
      let owner = Unmanaged<Lock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.owner)
      return owner == 0 ? .nobody : .thread(owner)
    }, place: { $0.place },
    // SAFETY: a thread that waits for a lock holds a reference to it.
    name: { Unmanaged<Lock>.fromOpaque($0)._withUnsafeGuaranteedRef(\.givenName) },
    view: lock.view)
}

extension NamedLock {
  /// An unlock by another thread traps or has no effect, so it ends no wait.
  package var release: WaitRelease { .nobody }

  /// Correct for types that cannot be subclassed.
  package var givenName: String? { name }

  /// The address, for comparisons; follow it only while a reference exists.
  package var address: UnsafeRawPointer {
    // SAFETY: a thread that waits for a lock holds a reference to it.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: Probes

  /// Reports to the probes that this thread has acquired the lock.
  ///
  /// - Parameter byTry: whether the thread would have given up instead of waiting forever.
  @inline(__always)
  func reportTaken(byTry: Bool = false) { if Probe.wantsLocks { reportTakenSlow(byTry) } }

  /// Reports to the probes that this thread is about to release the lock.
  @inline(__always)
  func reportReleased() { if Probe.wantsLocks { reportReleasedSlow() } }

  /// Reports to the probes that the lock is about to be freed. Otherwise they would take another
  /// lock at its address for this one.
  @inline(__always)
  func reportFreed() { if Probe.wantsFreedLocks { reportFreedSlow() } }

  // Separate functions, so that the fast path keeps no registers for them.
  @inline(never)
  private func reportTakenSlow(_ byTry: Bool) { Probe.lockTaken(lockResource(self), byTry: byTry) }
  @inline(never)
  private func reportReleasedSlow() { Probe.lockLeft(lockResource(self)) }
  @inline(never)
  private func reportFreedSlow() { Probe.lockFreed(address) }

  // MARK: Words

  /// The type and the name; the address if there is no name.
  var words: String {
    let type = TypeName.of(object: self)
    if let name = givenName { return "the \(type) \"\(name)\"" }
    return "the \(type) at 0x\(String(UInt(bitPattern: address), radix: 16))"
  }
}
