// DataBuffer — the library's own memory for copied bytes, with room for more.
//
// Touching    The bytes of a piece: no thread writes them any more, any thread may read them. The
//             bytes after the last claim: the thread that claims them, before it publishes the
//             piece that holds them. `used`: any thread, atomically.
// Invariants  I1  no two claims overlap: each begins at `used` and advances it. So a value may
//                 grow in place although other values share the buffer: their bytes end before
//                 the new ones.

import Synchronization

final class DataBuffer: ManagedBuffer<DataBuffer.Header, UInt8> {
  /// Sixteen bytes long, so that the bytes after it are aligned for any type.
  struct Header {
    /// How many of the bytes belong to some piece. Changed only by `claim`.
    fileprivate var used: Int
    let capacity: Int
  }

  /// `leastRoom` is the minimum capacity for bytes that may be appended to, and `mostRoom` the
  /// maximum capacity beyond the bytes asked for. A piece of up to `mostMoved` bytes is copied into
  /// a longer one instead of being followed by another. 256 KiB, less the overhead of the object
  /// and the allocator, keeps a million small appends under 300 pieces; 4 KiB is copied faster than
  /// a node is allocated.
  static var leastRoom: Int { 224 }
  static var mostRoom: Int { 256 * 1024 - 64 }
  static var mostMoved: Int { 4096 }

  /// Whether `owner` is a `DataBuffer`.
  @inline(__always)
  static func isOwn(_ owner: AnyObject) -> Bool {
    // Compare the types; a cast would walk the class hierarchy.
    type(of: owner) == DataBuffer.self
  }

  /// The capacity of `owner` if it is a `DataBuffer`.
  static func wholeCount(_ owner: AnyObject) -> Int? {
    isOwn(owner) ? header(of: owner).pointee.capacity : nil
  }

  /// A copy of `count` bytes with room for `room` bytes in all.
  static func piece(_ source: UnsafeRawPointer, _ count: Int, room: Int) -> DataPiece {
    let (piece, base) = self.room(for: count, capacity: max(room, count))
    base.copyMemory(from: source, byteCount: count)
    return piece
  }

  /// A piece of `count` bytes, which the caller writes before it publishes the piece.
  static func room(for count: Int) -> (piece: DataPiece, base: UnsafeMutableRawPointer) {
    room(for: count, capacity: count)
  }

  @inline(__always)
  private static func room(
    for count: Int, capacity: Int
  ) -> (piece: DataPiece, base: UnsafeMutableRawPointer) {
    let buffer = DataBuffer.create(minimumCapacity: capacity) { _ in
      Header(used: count, capacity: capacity)
    }
    let base = DataBuffer.base(of: buffer)
    return (DataPiece(owner: buffer, base: UnsafeRawPointer(base), count: count), base)
  }

  /// Appends a copy of the bytes at `end`, if `owner` is a `DataBuffer` that has room and whose
  /// last claim ended at `end`.
  @inline(__always)
  static func extend(
    _ owner: AnyObject, behind end: UnsafeRawPointer, _ source: UnsafeRawPointer, _ length: Int
  ) -> Bool {
    guard isOwn(owner) else { return false }
    let base = base(of: owner)
    let position = end - UnsafeRawPointer(base)
    guard claim(header(of: owner), position, length) else { return false }
    (base + position).copyMemory(from: source, byteCount: length)
    return true
  }

  @inline(__always)
  private static func claim(
    _ header: UnsafeMutablePointer<Header>, _ position: Int, _ length: Int
  ) -> Bool {
    guard header.pointee.capacity &- position >= length else { return false }
    // SAFETY: the first field of the header, which has the layout of an atomic integer; nothing
    // else reads or writes it once the buffer exists.
    let used = UnsafeMutableRawPointer(header).assumingMemoryBound(to: Atomic<Int>.self)
    // order: relaxed; it only decides who gets the room. The bytes reach other threads together
    // with the value that holds them.
    return used.pointee.compareExchange(
      expected: position, desired: position &+ length, ordering: .relaxed
    ).exchanged
  }

  // These accessors count no reference and skip the check for exclusive access, which would cost
  // more than copying the bytes.

  @inline(__always)
  private static func header(of owner: AnyObject) -> UnsafeMutablePointer<Header> {
    // SAFETY: a `DataBuffer`, which the caller holds.
    Unmanaged.passUnretained(unsafeDowncast(owner, to: DataBuffer.self))
      ._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  @inline(__always)
  private static func base(of owner: AnyObject) -> UnsafeMutableRawPointer {
    // SAFETY: a `DataBuffer`, which the caller holds.
    Unmanaged.passUnretained(unsafeDowncast(owner, to: DataBuffer.self))
      ._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToElements { .init($0) } }
  }
}
