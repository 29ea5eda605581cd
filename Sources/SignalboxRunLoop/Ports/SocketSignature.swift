// SocketSignature — the address of a socket port, by which other processes find it.

import FoundationEssentials

struct SocketSignature: Hashable, Sendable {
  let family: Int32
  let type: Int32
  let `protocol`: Int32
  /// The address in the system's layout.
  let address: Data

  /// The size of the system's largest address type.
  static var addressLimit: Int { 128 }
}
