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
  /// The type and the name, or the address where there is none.
  var words: String {
    let type = String(describing: type(of: self))
    if let name { return "the \(type) \"\(name)\"" }
    // SAFETY: an address to print.
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    return "the \(type) at 0x\(String(address, radix: 16))"
  }
}
