// ThreadCreationError — why a thread could not be started.

import CSignalbox

/// The system refused to create a thread.
///
/// *Beyond Apple's API.*
public struct ThreadCreationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The errno of `pthread_create`: EAGAIN if a limit on threads or memory is reached.
  public let code: Int32

  /// Creates an error with the errno that `pthread_create` returned.
  public init(code: Int32) { self.code = code }

  public var description: String { "pthread_create failed with errno \(code): \(advice)" }

  var advice: String {
    switch code {
    case EAGAIN:
      "A limit on threads (ulimit -u, pids.max) or on memory is reached: join or end some, use "
        + "smaller stacks, or raise it."
    case EINVAL: "The stack is too small for what the program keeps for each thread: ask for more."
    case EPERM: "A sandbox (seccomp) refuses threads: allow them."
    default: "No thread is available now."
    }
  }
}
