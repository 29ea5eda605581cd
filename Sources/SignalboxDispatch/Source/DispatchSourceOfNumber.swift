// DispatchSourceOfNumber — sources whose handle is a number of the system's: a process's id,
// a descriptor.
//
// Apple gives it to both protocols. The class stands for both, and of two members of one
// name and type the compiler could not choose.

/// What sources of processes and files have in common; see ``DispatchSourceProcess`` and
/// ``DispatchSourceFileSystemObject``.
public protocol _DispatchSourceOfNumber: DispatchSourceProtocol {
  /// The id of the process, or the descriptor of the file.
  var handle: Int32 { get }
}

extension _DispatchSourceOfNumber {
  /// The id of the process, or the descriptor of the file.
  public var handle: Int32 { Int32(truncatingIfNeeded: source.core.handle) }
}
