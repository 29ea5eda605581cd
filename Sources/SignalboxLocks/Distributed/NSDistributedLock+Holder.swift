// NSDistributedLock+Holder — which process holds a lock, and whether it is still
// alive.

import CSignalbox

extension NSDistributedLock {
  /// The process that holds a lock.
  ///
  /// *Beyond Apple's API.*
  public struct Holder: Hashable, Sendable {
    /// Whether the process that took the lock is still alive.
    public enum Life: Hashable, Sendable {
      /// It is still running.
      case lives
      /// It ended without unlocking, or the machine was restarted since.
      case hasEnded
      /// It may run on another machine, or another program created the file.
      case isUnknown
    }

    /// Whether the process is still alive.
    public let life: Life
    /// The process's number as the process itself sees it; in another container it is another
    /// process's. 0 if the file does not contain it.
    public let processID: Int32
    /// The name of the machine or container that the process runs on; empty if the file does not
    /// contain it.
    public let host: String
  }

  /// The current holder, in any process; nil if the lock is free or the file cannot be read.
  ///
  /// *Beyond Apple's API.*
  ///
  /// A process that ends loses its mark on the file, however it ends. The mark shows whether the
  /// process is alive; its number alone does not, because the system reuses numbers. Forked
  /// children do not keep the mark.
  public final var holder: Holder? { LockFile.look(path)?.holder }

  /// Removes the lock if the process that acquired it has ended.
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
  /// Any number of processes may do this at once: one of them removes the lock, and none removes
  /// a lock that was acquired since. ``break()`` reports a lock that cannot be removed.
  ///
  /// - Returns: whether this call removed it.
  public final func breakIfHolderHasEnded() -> Bool {
    guard var seen = LockFile.look(path), seen.holder.life == .hasEnded else { return false }
    return csb_lock_file_break(path, &seen.kernels) == 0
  }
}
