// DistributedLockError — why a lock file could not be created or removed.

import CSignalbox

/// The system refused to create or remove the file of a lock between processes.
///
/// *Beyond Apple's API.*
public struct DistributedLockError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system's errno: `EACCES` or `EROFS` if the directory is not writable, `ENOENT` if it
  /// does not exist, `ENOSPC` if the disk is full.
  public let code: Int32
  /// The path of the file.
  public let path: String
  let operation: Operation

  enum Operation: String { case take = "taken", leave = "unlocked", `break` = "broken" }

  /// What failed, why, and what to do.
  public var description: String {
    "the NSDistributedLock \"\(path)\" cannot be \(operation.rawValue): \(reason) (errno \(code))."
  }

  private var reason: String {
    switch code {
    case EACCES, EPERM: "its directory must not be written by this process"
    case EROFS: "its directory is on a file system that is only read"
    case ENOENT: "its directory does not exist"
    case ENOTDIR: "what should be its directory is a file"
    case EISDIR: "a directory has its name"
    case ELOOP: "a symbolic link has its name"
    case ENOSPC, EDQUOT: "there is no room for its file"
    case ENAMETOOLONG: "its path is too long"
    case EMFILE, ENFILE: "too many files are open"
    case EAGAIN: "another process was stopped while it was about to break it"
    default: "the system refuses"
    }
  }
}
