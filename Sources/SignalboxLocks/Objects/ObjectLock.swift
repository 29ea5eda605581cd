// ObjectLock — the lock of an object that is locked or waited for, or was locked a moment ago.
//
// Touching    `state`: any thread, atomically. `object`: set once. `users`, `next`: under the
//             row's lock (`ObjectLocks`). `depth`: the thread that holds the lock; it is handed
//             over with the lock (LS1).
// Invariants  I1  users = the threads that hold the lock, wait for it or keep it, each counted
//                 once. Without users the lock is freed.

import SignalboxRuntime

struct ObjectLock: ~Copyable {
  // First, before `state`: ThreadSanitizer takes a change of a field through `pointee` for a
  // change of the struct's first word.
  var next: Pointer?
  var users: UInt32 = 1
  let state: LockState
  /// How many times the holder has entered. Read and written by the holder.
  let depth = SingleWriter<UInt>(1)
  /// The object's address.
  let object: UInt

  typealias Pointer = UnsafeMutablePointer<ObjectLock>

  private init(of object: UInt, for thread: UInt32) {
    self.object = object
    state = LockState(heldBy: thread)
  }

  /// Creates the lock of the object in `node`, held by `thread`.
  static func make(_ node: UnsafeMutableRawPointer, of object: UInt, for thread: UInt32)
    -> Pointer
  {
    // SAFETY: fresh memory of a node's size; this type fits in it.
    let lock = node.bindMemory(to: ObjectLock.self, capacity: 1)
    lock.initialize(to: ObjectLock(of: object, for: thread))
    return lock
  }

  /// Records the first entry of a holder.
  @inline(__always)
  func enterFirst() { depth.store(1) }

  /// Records a further entry of the holder.
  @inline(__always)
  func enterAgain() { depth.store(depth.load() + 1) }

  /// Records that the holder leaves once.
  ///
  /// - Returns: whether that was the last time.
  @inline(__always)
  func leaveOnce() -> Bool {
    let left = depth.load() - 1
    depth.store(left)
    return left == 0
  }

  /// The resource of a thread that waits for this lock.
  @inline(never)
  static func resource(_ lock: Pointer) -> WaitResource {
    WaitResource(
      // The object may be freed, and another object get its address, without any report.
      object: UnsafeRawPointer(lock), isTaken: true, endsUntold: true,
      describe: { raw in
        // SAFETY: a waiting thread is a user of the lock, and holds a reference to the object.
        let object = raw.assumingMemoryBound(to: ObjectLock.self).pointee.object
        return ObjectLock.words(object)
      },
      need: { raw, _ in
        // SAFETY: a waiting thread is a user of the lock.
        let owner = raw.assumingMemoryBound(to: ObjectLock.self).pointee.state.owner
        return owner == 0 ? .nobody : .thread(owner)
      }, place: { $0.place },
      view: .lock("the lock of an object", wordAddress(lock.pointee.state.word)))
  }

  /// The description of the lock of the object at an address.
  static func words(_ object: UInt) -> String {
    let address = String(object, radix: 16)
    guard let raw = UnsafeRawPointer(bitPattern: object) else { return "the lock of nil" }
    // SAFETY: the caller holds a reference to the object.
    let type = Unmanaged<AnyObject>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      TypeName.of(object: $0)
    }
    return "the lock of the object <\(type): 0x\(address)>"
  }
}
