// NSDistributedLock — a lock between processes: Apple's class on a file.
//
// The file is made and removed in `CSignalbox/lockfile.h`, which says why nobody can
// remove another lock than the one meant.
//
// States      free → busy → held → busy → free   (see `State`)
// Touching    `state`, `complained`: under `lock`, for a few instructions; no system call
//             is made meanwhile.
// Rejected    taking over the lock of a process that has ended: what it guards may be
//             half changed, which only the program can tell.

import CSignalbox
import SignalboxRuntime

/// A lock that one process holds at a time, by a file that all of them can reach.
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
/// The lock is held while the file exists, and is never waited for. It stays when its
/// process ends without unlocking, also by a crash: ``holder`` tells such a lock from one
/// whose holder lives, and ``breakIfHolderHasEnded()`` removes it.
///
/// Any thread may take, leave and break it. Several objects with one path are as good as
/// several processes: one of them can have the lock. A process made by `fork` does not hold
/// its parent's locks. The directory must exist and be writable to take a lock; in one with
/// the sticky bit, as `/tmp` has, only its own user can break it. A program that closes all
/// descriptors, those of others too, seems to have ended.
///
/// Some microseconds each: making, writing and removing a file.
///
/// *Differences*: where the file system refuses, Apple's class raises an exception, and this
/// one says so on standard error and returns `false`; ``attempt()`` throws instead.
///
/// Source: Apple's documentation of `NSDistributedLock`.
// SAFETY: what changes is guarded by `lock`.
open class NSDistributedLock: @unchecked Sendable {
  /// Absolute, so that a change of the working directory does not matter.
  let path: String
  private let isNamed: Bool
  private let lock = EngineLock()
  private var state = State.free
  private var complained: Int32 = 0

  enum State {
    case free
    /// A thread is in the middle of taking or leaving it.
    case busy
    /// In the child of a fork its parent may hold it.
    case held(csb_lock_file)
  }

  /// A lock whose file is, or will be, at `path`.
  ///
  /// Nothing is looked at yet. The directory must exist by the time the lock is taken.
  ///
  /// - Parameter path: where the file is; from the working directory as it is now, if it
  ///   does not begin with a slash.
  /// - Returns: nil if the path is empty.
  public convenience init?(path: String) { self.init(path: path, isNamed: false) }

  /// - Parameter isNamed: not to use a file without a name, as on file systems that have
  ///   none.
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

  /// Takes the lock if nobody has it.
  ///
  /// - Returns: whether it was taken; `false` also where this object has it already, or the
  ///   file cannot be made, which is said on standard error, once for each reason.
  open func `try`() -> Bool {
    do {
      return try attempt()
    } catch {
      complainOnce(error)
      return false
    }
  }

  /// Takes the lock if nobody has it, and throws where that cannot be told.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Returns: whether it was taken.
  /// - Throws: the system's error where the file cannot be made: the directory is missing or
  ///   must not be written, the disk is full.
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

  /// Leaves the lock, by removing its file.
  ///
  /// Traps if this process has not taken it by this object. If another process has broken
  /// it meanwhile, nothing is removed, and standard error says so.
  open func unlock() {
    var file = beginLeaving()
    let error = csb_lock_file_leave(path, &file)
    switch error {
    case 0: set(.free)
    case ENOENT, ESTALE:
      set(.free)
      complain(
        "\(description) was broken by another process before it was unlocked: what it guards may "
          + "have been changed by both.")
    default:
      // It is held as before: the next unlock tries again.
      set(.held(file))
      complainOnce(DistributedLockError(code: error, path: path, operation: .leave))
    }
  }

  /// Removes the lock, whichever process has it.
  ///
  /// For locks whose holder is known to have gone: one that lives goes on as if it still
  /// had the lock, and another process can take it beside it. What cannot be removed is
  /// said on standard error. ``breakIfHolderHasEnded()`` does no harm.
  open func `break`() {
    let error = csb_lock_file_break(path, nil)
    switch error {
    // Nothing is there, or another one has removed it.
    case 0, ENOENT, ESTALE: break
    default: complainOnce(DistributedLockError(code: error, path: path, operation: .break))
    }
  }

  /// When the lock was taken by whoever has it; `distantFuture` if nobody has it.
  ///
  /// By the clock of the file system, which another machine's may be. A program that
  /// breaks locks which are older than some limit leaves one alone that has just been left.
  open var lockDate: Date {
    var seconds: Int64 = 0, nanoseconds: Int64 = 0
    guard csb_lock_file_date(path, &seconds, &nanoseconds) == 0 else { return .distantFuture }
    return Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) * 1e-9)
  }

  // MARK: State

  /// Returns whether this object neither holds the lock nor is about to take or leave it.
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
        "\(description) was unlocked in the child of a fork: the parent holds it, and must leave "
          + "it itself.")
    }
    return file
  }

  private func isInherited(_ file: csb_lock_file) -> Bool {
    withUnsafePointer(to: file) { csb_lock_file_is_inherited($0) != 0 }
  }

  private func set(_ new: State) { lock.withLock { state = new } }

  private func complainOnce(_ error: DistributedLockError) {
    let isNew = lock.withLock {
      defer { complained = error.code }
      return complained != error.code
    }
    if isNew { complain("\(error)") }
  }
}

extension NSDistributedLock: Hashable, CustomStringConvertible {
  public static func == (a: NSDistributedLock, b: NSDistributedLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The type and the path.
  public var description: String { "the NSDistributedLock \"\(path)\"" }
}
