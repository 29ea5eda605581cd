// Urgency — how urgent an item is; a higher one runs first.
//
// One number holds a *band*, which is a class of quality of service, and a priority within it.
// Urgencies compare like these numbers.

public import CSignalbox

/// The quality-of-service classes.
@frozen @usableFromInline
package enum Band: UInt8, Sendable, CaseIterable, Comparable {
  case background, utility, standard, userInitiated, userInteractive

  @inlinable package static var count: Int { Int(userInteractive.rawValue) + 1 }

  @inlinable package static func < (a: Band, b: Band) -> Bool { a.rawValue < b.rawValue }
}

@frozen @usableFromInline
package struct Urgency: RawRepresentable, Comparable, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameter relativePriority: 0 down to -15.
  @inlinable package init(_ band: Band, relativePriority: Int = 0) {
    rawValue = (band.rawValue + 1) * 16 - UInt8(-relativePriority)
  }

  /// No class specified.
  @inlinable package static var unspecified: Urgency { Urgency(rawValue: 0) }
  @inlinable package static var background: Urgency { Urgency(.background) }
  @inlinable package static var utility: Urgency { Urgency(.utility) }
  @inlinable package static var standard: Urgency { Urgency(.standard) }
  @inlinable package static var userInitiated: Urgency { Urgency(.userInitiated) }
  @inlinable package static var userInteractive: Urgency { Urgency(.userInteractive) }
  @inlinable package static var highest: Urgency { userInteractive }

  @inlinable package var isSpecified: Bool { rawValue != 0 }

  /// The band; nil if none is specified.
  package var band: Band? { isSpecified ? Band(rawValue: (rawValue - 1) / 16) : nil }

  @inlinable package static func < (a: Urgency, b: Urgency) -> Bool { a.rawValue < b.rawValue }

  /// This urgency, or `other` if none is specified.
  @inlinable package func or(_ other: Urgency) -> Urgency { isSpecified ? self : other }
}

extension Urgency {
  /// The urgency of the item that this thread runs. If it runs none, or the item has
  /// none, the urgency of the thread itself.
  @inlinable @inline(__always)
  package static var ofThisThread: Urgency {
    get { ofThisItem.or(Urgency(rawValue: csb_thread_class_of_service())) }
    set { ofThisItem = newValue }
  }

  /// The urgency of the item that this thread runs, without the thread's own.
  @inlinable @inline(__always)
  static var ofThisItem: Urgency {
    get { Urgency(rawValue: csb_thread_self().pointee.urgency) }
    set { csb_thread_self().pointee.urgency = newValue.rawValue }
  }

  /// The urgency that this thread passes to what it submits. The highest class is not
  /// passed on.
  @inlinable @inline(__always)
  package static var propagated: Urgency { min(ofThisThread, .userInitiated) }

  /// Runs `body`, which may change this thread's urgency, and restores it.
  @inlinable
  package static func keeping<T>(_ body: () throws -> T) rethrows -> T {
    let before = ofThisItem
    defer { ofThisItem = before }
    return try body()
  }
}
