// TraceFlags — what the flags and `a` of a recorded event mean; see `EventKind`.

/// The kind of event to which a place belongs: `a` of a `place` event.
package enum TracePlaceOf: UInt16, Sendable, CaseIterable {
  case submission = 0
  case sync = 1
  case waitBegan = 2
  case waitEnded = 3
  /// No place: the name of the task to which a submitted job belongs.
  case task = 4
}

/// What a mark means, as bits of an event's flags. A mark without flags is only a
/// text at a time.
package struct TraceMarkFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// See `Item.Flags`.
  @inline(__always)
  package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

  /// An interval begins.
  package static var begins: TraceMarkFlags { TraceMarkFlags(rawValue: 1) }
  /// An interval ends.
  package static var ends: TraceMarkFlags { TraceMarkFlags(rawValue: 2) }
  /// The interval ends on the thread on which it begins, before any interval
  /// around it does.
  package static var isScoped: TraceMarkFlags { TraceMarkFlags(rawValue: 4) }
}

/// Properties of an item, as bits of an event's flags.
package struct TraceItemFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// See `Item.Flags`.
  @inline(__always)
  package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

  package static var barrier: TraceItemFlags { TraceItemFlags(rawValue: 1) }
  /// Submitted with `asyncAfter`.
  package static var delayed: TraceItemFlags { TraceItemFlags(rawValue: 2) }
  /// The handler of a source or timer.
  package static var handler: TraceItemFlags { TraceItemFlags(rawValue: 4) }
  /// A job of Swift concurrency.
  package static var job: TraceItemFlags { TraceItemFlags(rawValue: 8) }
  /// A scheduling request rather than work: another queue asks this one, its
  /// target, to drain it.
  package static var drainTask: TraceItemFlags { TraceItemFlags(rawValue: 16) }
}

/// Properties of a wait, as bits of an event's flags.
package struct TraceWaitFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// See `Item.Flags`.
  @inline(__always)
  package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

  /// The event's `object` is a queue's id.
  package static var isQueue: TraceWaitFlags { TraceWaitFlags(rawValue: 1) }
  package static var timedOut: TraceWaitFlags { TraceWaitFlags(rawValue: 2) }
  /// From this bit on, the flags hold the QoS class of the thread that begins
  /// to wait, numbered as in `EventKind.itemSubmitted`.
  package static let firstBitOfClass: UInt8 = 4
}
