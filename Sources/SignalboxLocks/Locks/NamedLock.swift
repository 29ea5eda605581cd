// NamedLock — a lock that is an object, as reports and searches see it.

import SignalboxDispatch
package import SignalboxRuntime

/// A lock that has a name, perhaps, and an owner, perhaps.
package protocol NamedLock: AnyObject, Sendable, CustomStringConvertible {
  var name: String? { get }
  /// The number of the thread that holds it; 0 if none does.
  var owner: UInt32 { get }
}

/// What a thread waits for that waits for this lock.
@inline(never)
package func lockResource<Lock: NamedLock>(_ lock: Lock) -> WaitResource {
  WaitResource(
    // SAFETY: whoever waits for a lock holds a reference to it.
    object: UnsafeRawPointer(Unmanaged.passUnretained(lock).toOpaque()), isTaken: true,
    describe: { Unmanaged<Lock>.fromOpaque($0)._withUnsafeGuaranteedRef(\.description) },
    need: { raw, _ in
      // SAFETY: as above.
      let owner = Unmanaged<Lock>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.owner)
      return owner == 0 ? .nobody : .thread(owner)
    }, place: { $0.place })
}

extension NamedLock {
  /// This thread has taken the lock: a probe.
  @inline(__always)
  func tellTaken() { if Probe.hearsOfLocks { tellTakenSlow() } }

  /// This thread is about to leave the lock: a probe.
  @inline(__always)
  func tellLeft() { if Probe.hearsOfLocks { tellLeftSlow() } }

  // Functions of their own, so that the fast path keeps nothing for them.
  @inline(never)
  private func tellTakenSlow() { Probe.lockTaken(lockResource(self)) }
  @inline(never)
  private func tellLeftSlow() { Probe.lockLeft(lockResource(self)) }

  /// The type and the name, or the address where there is none.
  var words: String {
    let type = String(describing: type(of: self))
    if let name { return "the \(type) \"\(name)\"" }
    // SAFETY: an address to print.
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    return "the \(type) at 0x\(String(address, radix: 16))"
  }
}
