// DataBuffer — memory of our own for bytes that were copied, with room for more.
//
// Touching    The bytes of a piece: nobody writes them any more, anyone may read them.
//             The bytes behind the last claim: whoever claims them, before the piece
//             that holds them is handed to anyone. `used`: any thread, atomically.
// Invariants  I1  no two claims overlap: each begins where `used` stood, and moves it.
//             So a value may be continued in place although others hold the same
//             buffer: what those see ends before.

import Synchronization

final class DataBuffer: ManagedBuffer<DataBuffer.Header, UInt8> {
  /// As long as sixteen bytes, so that the bytes behind it are aligned for anything.
  struct Header {
    /// How many of the bytes belong to some piece. Only through `claim`.
    fileprivate var used: Int
    let capacity: Int
  }

  /// The least that is allocated for bytes that may be followed by more, the most that
  /// is allocated for more than was asked, and up to where a piece is rather copied into
  /// a longer one than followed by another. 256 KiB, less what the object and the
  /// allocator add, keep a million small appends under 300 pieces; 4 KiB is copied faster than a node is made.
  static var leastRoom: Int { 224 }
  static var mostRoom: Int { 256 * 1024 - 64 }
  static var mostMoved: Int { 4096 }

  /// Whether `owner` is a buffer of ours.
  @inline(__always)
  static func isOwn(_ owner: AnyObject) -> Bool {
    // A comparison; a cast would walk the classes.
    type(of: owner) == DataBuffer.self
  }

  /// How many bytes were allocated, where the owner is a buffer of ours.
  static func wholeCount(_ owner: AnyObject) -> Int? {
    isOwn(owner) ? header(of: owner).pointee.capacity : nil
  }

  /// A copy of so many bytes, with room for `room` altogether.
  static func piece(_ source: UnsafeRawPointer, _ count: Int, room: Int) -> DataPiece {
    let capacity = max(room, count)
    let buffer = DataBuffer.create(minimumCapacity: capacity) { _ in
      Header(used: count, capacity: capacity)
    }
    let base = DataBuffer.base(of: buffer)
    base.copyMemory(from: source, byteCount: count)
    return DataPiece(owner: buffer, base: UnsafeRawPointer(base), count: count)
  }

  /// Puts a copy of the bytes behind `end`, if that is where the last claim ended, in a
  /// buffer of ours with room.
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
    // SAFETY: the first field of the header, which is as an atomic integer is; nothing
    // else reads or writes it once the buffer is made.
    let used = UnsafeMutableRawPointer(header).assumingMemoryBound(to: Atomic<Int>.self)
    // order: relaxed; it says only to whom the room goes. The bytes reach other threads
    // with the value, in the way in which that reaches them.
    return used.pointee.compareExchange(
      expected: position, desired: position &+ length, ordering: .relaxed
    ).exchanged
  }

  // Without a reference that is counted, and past the check for exclusive access, which
  // costs more than the bytes.

  @inline(__always)
  private static func header(of owner: AnyObject) -> UnsafeMutablePointer<Header> {
    // SAFETY: a buffer of ours, which the caller holds.
    Unmanaged.passUnretained(unsafeDowncast(owner, to: DataBuffer.self))
      ._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  @inline(__always)
  private static func base(of owner: AnyObject) -> UnsafeMutableRawPointer {
    // SAFETY: as above.
    Unmanaged.passUnretained(unsafeDowncast(owner, to: DataBuffer.self))
      ._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToElements { .init($0) } }
  }
}
