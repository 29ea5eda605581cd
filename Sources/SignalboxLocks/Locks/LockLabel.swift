// LockLabel — a lock's name, which a report may read while another thread sets it.

import SignalboxRuntime

struct LockLabel: ~Copyable {
  private let lock = EngineLock()
  /// nil until the lock has a name. Most locks never have one, and so need no memory for it.
  /// Changed and followed under `lock`. Once set it stays set.
  private let text = Relaxed<UnsafeMutablePointer<String?>?>(nil)

  var name: String? {
    lock.withLock { text.load()?.pointee }
  }

  /// The label for readers in other processes, which may see the text while it is being replaced.
  var view: OutsideView.Label { .reference(addressOfWord(text)) }

  func set(_ name: String?) {
    if name == nil && text.load() == nil { return }
    // Allocated and freed outside the lock.
    let new = UnsafeMutablePointer<String?>.allocate(capacity: 1)
    new.initialize(to: name)
    LockLabel.free(lock.withLock { text.exchange(new) })
  }

  deinit { LockLabel.free(text.load()) }

  private static func free(_ text: UnsafeMutablePointer<String?>?) {
    text?.deinitialize(count: 1)
    text?.deallocate()
  }
}
