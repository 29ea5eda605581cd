// NSDistributedLock — a lock between processes: Apple's class on a file.
//
// `CSignalbox/lockfile.h` creates and removes the file, and explains why a process can only
// remove the lock that it means to remove.
//
// States      free → busy → held → busy → free   (see `State`)
// Touching    `state`, `warned`: under `lock`, for a few instructions and without a system
//             call.
// Rejected    taking over the lock of a process that has ended: what it guards may be half
//             changed, and only the program can find out.

import CSignalbox
import SignalboxRuntime

/// A lock that one process holds at a time, through a file that all of them can reach.
///
/// ```swift
/// guard let lock = NSDistributedLock(path: "/var/lib/shop/orders.lock") else { return }
/// if lock.try() {
///   appendOrder()
///   lock.unlock()
/// } else {
///   print("in use since \(lock.lockDate)")
/// }
/// ```
///
/// The lock is held while the file exists, and no call waits for it. It stays held if the holder
/// ends without unlocking, even after a crash: ``holder`` distinguishes such a lock from one whose
/// holder is alive, and ``breakIfHolderHasEnded()`` removes it.
///
/// Any thread may acquire, release and break it. Several objects with one path behave like
/// several processes: one of them can hold the lock. A process made by `fork` does not hold its
/// parent's locks. A process can acquire a lock only if the directory exists and is writable; in
/// a directory with the sticky bit, such as `/tmp`, only the lock's own user can break it. If a
/// program closes all descriptors, including those of libraries, its locks look like those of a
/// process that has ended.
///
/// Each operation takes a few microseconds, because it creates and writes a file or removes one.
/// If another process is stopped while it is about to break the lock, the lock cannot be removed;
/// a call that tries to remove it fails after a second.
///
/// *Differences*: if the file system refuses, Apple's class raises an exception. This one reports
/// the refusal on standard error and returns `false`; ``attempt()`` throws instead.
///
/// Source: Apple's documentation of `NSDistributedLock`.
// SAFETY: `lock` guards the state that changes.
open class NSDistributedLock: @unchecked Sendable {
  /// Absolute, so that changes of the working directory do not matter.
  let path: String
  private let isNamed: Bool
  private let lock = EngineLock()
  private var state = State.free
  private var warned: Int32 = 0

  enum State {
    case free
    /// A thread is about to acquire or release it.
    case busy
    /// In a forked child, the parent may hold it.
    case held(csb_lock_file)
  }

  /// Creates a lock whose file is, or will be, at `path`.
  ///
  /// It does not look at the file system yet. The directory must exist when you acquire the lock.
  ///
  /// - Parameter path: the path of the file; relative to the current working directory if it does
  ///   not begin with a slash.
  /// - Returns: nil if the path is empty.
  public convenience init?(path: String) { self.init(path: path, isNamed: false) }

  /// - Parameter isNamed: whether to avoid unnamed files, as on file systems that do not support
  ///   them.
  package init?(path: String, isNamed: Bool) {
    guard !path.isEmpty, let whole = LockFile.absolute(path) else { return nil }
    self.path = whole
    self.isNamed = isNamed
  }

  deinit {
    guard case .held(let file) = state, !isInherited(file) else { return }
    clientBug(
      "\(description) was released while this process held it: unlock it before the last "
        + "reference goes away.")
  }

  // MARK: Taking

  /// Acquires the lock if it is free.
  ///
  /// - Returns: whether it acquired the lock; also `false` if this object holds it already, or if
  ///   the file cannot be created, which is reported on standard error unless this object's last
  ///   report had the same reason.
  open func `try`() -> Bool {
    do {
      return try attempt()
    } catch {
      warnOnce(error)
      return false
    }
  }

  /// Acquires the lock if it is free, and throws if that cannot be determined.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Returns: whether it acquired the lock.
  /// - Throws: the system's error if the file cannot be created: the directory is missing or not
  ///   writable, or the disk is full.
  public final func attempt() throws(DistributedLockError) -> Bool {
    guard beginTaking() else { return false }
    var file = csb_lock_file()
    let error = LockFile.take(path, isNamed: isNamed, &file)
    set(error == 0 ? .held(file) : .free)
    switch error {
    case 0: return true
    case EEXIST: return false
    default: throw DistributedLockError(code: error, path: path, operation: .take)
    }
  }

  // MARK: Leaving

  /// Releases the lock by removing its file.
  ///
  /// Traps if this process has not acquired it through this object. If another process has broken
  /// the lock in the meantime, the call removes nothing and reports that on standard error.
  open func unlock() {
    var file = beginLeaving()
    let error = csb_lock_file_leave(path, &file)
    switch error {
    case 0: set(.free)
    case ENOENT, ESTALE:
      set(.free)
      warn(
        "\(description) was broken by another process before it was unlocked: what it guards may "
          + "have been changed by both.")
    default:
      // It is still held: the next unlock tries again.
      set(.held(file))
      warnOnce(DistributedLockError(code: error, path: path, operation: .leave))
    }
  }

  /// Removes the lock, whichever process holds it.
  ///
  /// Use it for locks whose holder is known to be gone: a live holder continues as if it held
  /// the lock, while another process can acquire it too. A lock that cannot be removed is
  /// reported on standard error. ``breakIfHolderHasEnded()`` is safe.
  open func `break`() {
    let error = csb_lock_file_break(path, nil)
    switch error {
    // The file is gone, or another process has removed it.
    case 0, ENOENT, ESTALE: break
    default: warnOnce(DistributedLockError(code: error, path: path, operation: .break))
    }
  }

  /// When the current holder acquired the lock; `distantFuture` if the lock is free.
  ///
  /// The time is that of the file system's clock, which may be another machine's. Because a free
  /// lock's date is in the future, a program that breaks locks older than some limit does not break
  /// one that has just been released.
  open var lockDate: Date {
    var seconds: Int64 = 0, nanoseconds: Int64 = 0
    guard csb_lock_file_date(path, &seconds, &nanoseconds) == 0 else { return .distantFuture }
    return Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) * 1e-9)
  }

  // MARK: State

  /// Begins to acquire the lock.
  ///
  /// - Returns: whether this object neither holds the lock nor is about to acquire or release it.
  private func beginTaking() -> Bool {
    lock.withLock {
      switch state {
      case .busy: return false
      case .held(let file) where !isInherited(file): return false
      case .free, .held: break
      }
      state = .busy
      return true
    }
  }

  private func beginLeaving() -> csb_lock_file {
    let old = lock.withLock {
      let old = state
      if case .held(let file) = old, !isInherited(file) { state = .busy }
      return old
    }
    guard case .held(let file) = old else {
      clientBug(
        "\(description) was unlocked while this object did not hold it: unlock it once for each "
          + "time that try() returns true. To remove another process's lock, break() it.")
    }
    if isInherited(file) {
      clientBug(
        "\(description) was unlocked in the child of a fork: the parent holds it, and must unlock "
          + "it itself.")
    }
    return file
  }

  private func isInherited(_ file: csb_lock_file) -> Bool {
    withUnsafePointer(to: file) { csb_lock_file_is_inherited($0) != 0 }
  }

  private func set(_ new: State) { lock.withLock { state = new } }

  private func warnOnce(_ error: DistributedLockError) {
    let isNew = lock.withLock {
      defer { warned = error.code }
      return warned != error.code
    }
    if isNew { warn("\(error)") }
  }
}

extension NSDistributedLock: Hashable, CustomStringConvertible {
  public static func == (a: NSDistributedLock, b: NSDistributedLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The type and the path.
  public var description: String { "the NSDistributedLock \"\(path)\"" }
}
