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

  /// `owner`, if it is a buffer of ours.
  @inline(__always)
  static func of(_ owner: AnyObject) -> DataBuffer? {
    // A comparison; a cast would walk the classes.
    guard type(of: owner) == DataBuffer.self else { return nil }
    return unsafeDowncast(owner, to: DataBuffer.self)
  }

  /// A copy of so many bytes, with room for `room` altogether.
  static func piece(_ source: UnsafeRawPointer, _ count: Int, room: Int) -> DataPiece {
    let capacity = max(room, count)
    let buffer = unsafeDowncast(
      DataBuffer.create(minimumCapacity: capacity) { _ in Header(used: count, capacity: capacity) },
      to: DataBuffer.self)
    let base = buffer.base
    base.copyMemory(from: source, byteCount: count)
    return DataPiece(owner: buffer, base: UnsafeRawPointer(base), count: count)
  }

  @inline(__always)
  private var base: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  /// Takes the next bytes, if `end` is where the last claim ended and there is room.
  @inline(__always)
  func claim(_ length: Int, behind end: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    let position = end - UnsafeRawPointer(base)
    guard header.capacity &- position >= length else { return nil }
    return withUnsafeMutablePointerToHeader { header in
      // SAFETY: the first field of the header, which is as an atomic integer is; nothing
      // else reads or writes it once the buffer is made.
      let used = UnsafeMutableRawPointer(header).assumingMemoryBound(to: Atomic<Int>.self)
      // order: relaxed; it says only to whom the room goes. The bytes reach other threads
      // with the value, in the way in which that reaches them.
      let (claimed, _) = used.pointee.compareExchange(
        expected: position, desired: position &+ length, ordering: .relaxed)
      return claimed ? base + position : nil
    }
  }

  /// How many bytes were allocated.
  var wholeCount: Int { header.capacity }
}
