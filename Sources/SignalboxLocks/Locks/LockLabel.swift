// LockLabel — a lock's name, which a report may read while another thread sets it.
//
// Touching    `text`: changed and followed under `lock`.

import SignalboxRuntime
import Synchronization

struct LockLabel: ~Copyable {
  private let lock = EngineLock()
  /// nil until the lock has a name. Most locks never have one, and so need no memory for it.
  private let text = Atomic<UnsafeMutablePointer<String?>?>(nil)

  var name: String? {
    lock.withLock {
      text.load(ordering: .relaxed)?.pointee  // order: relaxed; read under the lock.
    }
  }

  func set(_ name: String?) {
    if name == nil && isUnset { return }
    // Allocated and freed outside the lock.
    let new = UnsafeMutablePointer<String?>.allocate(capacity: 1)
    new.initialize(to: name)
    let old = lock.withLock {
      text.exchange(new, ordering: .relaxed)  // order: relaxed; written under the lock.
    }
    LockLabel.free(old)
  }

  private var isUnset: Bool {
    text.load(ordering: .relaxed) == nil  // order: relaxed; once set it stays set.
  }

  deinit {
    LockLabel.free(text.load(ordering: .relaxed))  // order: relaxed; no other thread is left.
  }

  private static func free(_ text: UnsafeMutablePointer<String?>?) {
    text?.deinitialize(count: 1)
    text?.deallocate()
  }
}
