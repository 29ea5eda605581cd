// ObjectLock — the lock of an object that is locked, or waited for, or was locked a
// moment ago.
//
// Touching    `state`: any thread, atomically. `object`: set once. `users`, `next`: under
//             the row's lock (`ObjectLocks`). `depth`: the thread that holds the lock; it
//             goes to the next one with the lock (LS1).
// Invariants  I1  users = the threads that hold the lock, wait for it or keep it, each
//                 counted once. With none left it goes.

import SignalboxDispatch
import SignalboxRuntime
import Synchronization

struct ObjectLock: ~Copyable {
  // First, and not `state`: ThreadSanitizer takes a change of a field by way of `pointee` for
  // one of the struct's first word.
  var next: Pointer?
  var users: UInt32 = 1
  let state: LockState
  /// How often the holder has entered.
  let depth = Atomic<UInt>(1)
  /// The object's address.
  let object: UInt

  typealias Pointer = UnsafeMutablePointer<ObjectLock>

  private init(of object: UInt, for thread: UInt32) {
    self.object = object
    state = LockState(heldBy: thread)
  }

  /// Makes `node` the lock of the object, held by `thread`.
  static func make(_ node: UnsafeMutableRawPointer, of object: UInt, for thread: UInt32)
    -> Pointer
  {
    // SAFETY: fresh memory of a node's size, which this type does not exceed.
    let lock = node.bindMemory(to: ObjectLock.self, capacity: 1)
    lock.initialize(to: ObjectLock(of: object, for: thread))
    return lock
  }

  /// Entered for the first time.
  @inline(__always)
  func enterFirst() {
    depth.store(1, ordering: .relaxed)  // order: relaxed; the holder's own.
  }

  /// Entered once more.
  @inline(__always)
  func enterAgain() {
    let old = depth.load(ordering: .relaxed)  // order: relaxed; the holder's own.
    depth.store(old + 1, ordering: .relaxed)  // order: relaxed; the holder's own.
  }

  /// Left once.
  ///
  /// - Returns: whether it was the last time.
  @inline(__always)
  func leaveOnce() -> Bool {
    let left = depth.load(ordering: .relaxed) - 1  // order: relaxed; the holder's own.
    depth.store(left, ordering: .relaxed)  // order: relaxed; the holder's own.
    return left == 0
  }

  /// What a thread waits for that waits for this lock.
  @inline(never)
  static func resource(_ lock: Pointer) -> WaitResource {
    WaitResource(
      // Nobody says when the object goes and another one comes to lie there.
      object: UnsafeRawPointer(lock), isTaken: true, endsUntold: true,
      describe: { raw in
        // SAFETY: whoever waits is one of the lock's users, and has the object in hand.
        let object = raw.assumingMemoryBound(to: ObjectLock.self).pointee.object
        return ObjectLock.words(object)
      },
      need: { raw, _ in
        // SAFETY: as above.
        let owner = raw.assumingMemoryBound(to: ObjectLock.self).pointee.state.owner
        return owner == 0 ? .nobody : .thread(owner)
      }, place: { $0.place })
  }

  /// The lock of the object at an address, in words.
  static func words(_ object: UInt) -> String {
    let address = String(object, radix: 16)
    guard let raw = UnsafeRawPointer(bitPattern: object) else { return "the lock of nil" }
    // SAFETY: whoever asks has a reference to the object.
    let type = Unmanaged<AnyObject>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      TypeName.of(object: $0)
    }
    return "the lock of the object <\(type): 0x\(address)>"
  }
}
