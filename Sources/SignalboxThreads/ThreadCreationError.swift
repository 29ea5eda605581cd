// ThreadCreationError — why a thread could not be started.

/// The system refused a thread.
///
/// *Beyond Apple's API.*
public struct ThreadCreationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The errno of `pthread_create`: EAGAIN where a limit on threads or memory is
  /// reached.
  public let code: Int32

  public init(code: Int32) { self.code = code }

  public var description: String { "pthread_create failed with errno \(code)" }
}
