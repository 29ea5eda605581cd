// NSDistributedLock+Holder — who has a lock, and whether that process still lives.

import CSignalbox

extension NSDistributedLock {
  /// Who has a lock.
  ///
  /// *Beyond Apple's API.*
  public struct Holder: Hashable, Sendable {
    /// Whether the process that took the lock still lives.
    public enum Life: Hashable, Sendable {
      /// Its process lives.
      case lives
      /// It ended without unlocking, or the machine was started anew since.
      case hasEnded
      /// It may run on another machine, or the file was made by another program.
      case isUnknown
    }

    /// Whether its process lives.
    public let life: Life
    /// The process's number, as it sees itself: in another container it is another's.
    /// 0 if the file does not say.
    public let processID: Int32
    /// The name of the machine or container that it runs on; empty if the file does not
    /// say.
    public let host: String
  }

  /// Who has the lock at this moment, in whatever process; nil if nobody has it, or the
  /// file cannot be read.
  ///
  /// *Beyond Apple's API.*
  ///
  /// A process that ends gives up a mark on the file, however it ends: that tells its life,
  /// and not its number, which the system gives to others later. Children that it has
  /// forked do not keep the mark.
  public final var holder: Holder? { LockFile.look(path)?.holder }

  /// Removes the lock if the process that took it has ended.
  ///
  /// *Beyond Apple's API.*
  ///
  /// ```swift
  /// while !lock.try() {
  ///   guard lock.breakIfHolderHasEnded() else { return print("in use") }
  ///   repairWhatItLeft()
  /// }
  /// ```
  ///
  /// Any number of processes may do so at once: one of them removes it, and none a lock
  /// that was taken since. What cannot be removed is said by ``break()``.
  ///
  /// - Returns: whether this call removed it.
  public final func breakIfHolderHasEnded() -> Bool {
    guard var seen = LockFile.look(path), seen.holder.life == .hasEnded else { return false }
    return csb_lock_file_break(path, &seen.kernels) == 0
  }
}
