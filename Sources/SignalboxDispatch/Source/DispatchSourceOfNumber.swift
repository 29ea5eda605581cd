// DispatchSourceOfNumber — sources whose handle is a process ID or a descriptor.
//
// Apple declares `handle` in the protocols of both kinds. Here one class conforms to both, and the
// compiler could not choose between two members with the same name and type.

/// The common part of process and file sources; see ``DispatchSourceProcess`` and
/// ``DispatchSourceFileSystemObject``.
public protocol _DispatchSourceOfNumber: DispatchSourceProtocol {
  /// The ID of the process, or the descriptor of the file.
  var handle: Int32 { get }
}

extension _DispatchSourceOfNumber {
  /// The ID of the process, or the descriptor of the file.
  public var handle: Int32 { Int32(truncatingIfNeeded: source.core.handle) }
}
