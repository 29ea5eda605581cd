// SocketSignature — where a socket port is: what finds it from another process.

import FoundationEssentials

struct SocketSignature: Hashable, Sendable {
  let family: Int32
  let type: Int32
  let `protocol`: Int32
  /// As the system lays it out.
  let address: Data

  /// An address is no longer than the system's own.
  static var addressLimit: Int { 128 }
}
