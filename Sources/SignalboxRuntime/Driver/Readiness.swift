// Readiness — what a descriptor is ready for, or is watched for.

package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A read would not block.
  package static var readable: Readiness { Readiness(rawValue: 1) }
  /// A write would not block.
  package static var writable: Readiness { Readiness(rawValue: 2) }
  /// An exceptional condition: urgent data, or a signal of a pressure file.
  package static var priority: Readiness { Readiness(rawValue: 4) }
  /// The other end is closed, at least for the direction that is watched.
  package static var hangUp: Readiness { Readiness(rawValue: 8) }
  /// The descriptor has an error, which the next read or write returns.
  package static var error: Readiness { Readiness(rawValue: 16) }

  /// The events that every watch receives, whatever its interest.
  static var always: Readiness { [.hangUp, .error] }
}

/// The bits of epoll.
enum EpollBits {
  static let readable: UInt32 = 0x001
  static let priority: UInt32 = 0x002
  static let writable: UInt32 = 0x004
  static let error: UInt32 = 0x008
  static let hangUp: UInt32 = 0x010
  /// The other end will not write any more.
  static let readHangUp: UInt32 = 0x2000
  static let once: UInt32 = 1 << 30
  static let edge: UInt32 = 1 << 31

  /// The bits to request.
  static func asking(for interest: Readiness) -> UInt32 {
    var bits: UInt32 = 0
    if interest.contains(.readable) { bits |= readable | readHangUp }
    if interest.contains(.writable) { bits |= writable }
    if interest.contains(.priority) { bits |= priority }
    return bits
  }

  /// What `bits` mean for a watch with this interest.
  static func readiness(_ bits: UInt32, for interest: Readiness) -> Readiness {
    var found: Readiness = []
    if bits & readable != 0 { found.insert(.readable) }
    if bits & writable != 0 { found.insert(.writable) }
    if bits & priority != 0 { found.insert(.priority) }
    if bits & error != 0 { found.insert(.error) }
    if bits & hangUp != 0 { found.insert(.hangUp) }
    if bits & readHangUp != 0 && interest.contains(.readable) { found.insert(.hangUp) }
    return found.intersection(interest.union(.always))
  }
}
