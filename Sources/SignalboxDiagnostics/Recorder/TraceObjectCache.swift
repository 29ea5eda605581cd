// TraceObjectCache — the numbers of the objects that one thread used last.
//
// Semaphores, groups and once objects record events on fast paths; with their
// numbers cached, such an event takes no lock. An entry is valid as long as no
// address has lost its number since: `csb_trace_object_changes` counts these
// losses.
//
// Touching    everything: its own thread.

import CSignalbox

struct TraceObjectCache: ~Copyable {
  private struct Entry {
    var key: UInt = 0
    var id: UInt64 = 0
    /// The count of changes read before the number was found; 0 for an empty
    /// entry.
    var changes: UInt64 = 0
    /// The recording to which the number belongs.
    var session: UInt32 = 0
    var kind = TraceObjectKind.other
  }

  private static let count = 16

  /// Indexed by some bits of the address.
  // SAFETY: `count` entries, allocated and freed together with this value.
  private let entries: UnsafeMutablePointer<Entry>

  init() {
    entries = .allocate(capacity: TraceObjectCache.count)
    entries.initialize(repeating: Entry(), count: TraceObjectCache.count)
  }

  deinit { entries.deallocate() }

  @inline(__always)
  func id(of key: UInt, _ kind: TraceObjectKind, in session: UInt32) -> UInt64? {
    let index = TraceObjectCache.index(of: key)
    let entry = entries + index
    guard entry.pointee.key == key, entry.pointee.kind == kind,
      entry.pointee.session == session,
      entry.pointee.changes == csb_trace_object_changes_load()
    else { return nil }
    return entry.pointee.id
  }

  /// - Parameter changes: the count of changes read before the number was
  ///   found.
  func keep(
    _ id: UInt64, of key: UInt, _ kind: TraceObjectKind, in session: UInt32, _ changes: UInt64
  ) {
    entries[TraceObjectCache.index(of: key)] = Entry(
      key: key, id: id, changes: changes, session: session, kind: kind)
  }

  @inline(__always)
  private static func index(of key: UInt) -> Int {
    // Fibonacci hashing: addresses differ in their middle bits.
    Int((UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 60)
  }
}
