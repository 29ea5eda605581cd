// DataRope — the storage of a value with several pieces: the last piece, and the others in a
// tree.
//
// The last piece is separate because appends happen there: as long as it has room, they touch
// nothing else.
//
// Touching    `prefix`, `tail`, `count`: read by any holder of the rope; written by the holder of
//             the only reference to it. `flat`: any thread, atomically.
// Ordering    DF1  the thread that publishes the contiguous copy (releasing) → a thread that
//                  finds it (acquiring): it sees the bytes.
// Invariants  I1  the tail is not empty.
//             I2  the contiguous copy, if it exists, has this rope's bytes: every change of the
//                 rope drops it.

import CSignalbox
import SignalboxRuntime
import Synchronization

final class DataRope: @unchecked Sendable {
  // SAFETY: see Touching.
  @exclusivity(unchecked) private(set) var prefix: DataTree
  @exclusivity(unchecked) private(set) var tail: DataPiece
  @exclusivity(unchecked) private(set) var count: Int
  /// A contiguous copy of all bytes, once a caller has asked for it.
  private let flat = Atomic<Unmanaged<FlatBytes>?>(nil)

  init(_ prefix: DataTree, _ tail: DataPiece) {
    self.prefix = prefix
    self.tail = tail
    count = prefix.count + tail.count
  }

  deinit { dropFlat() }

  /// A rope with the same pieces, for a value that diverges from this one.
  func copy() -> DataRope { DataRope(prefix, tail) }

  // MARK: Appending, by the holder of the only reference

  @inline(__always)
  func extend(_ source: UnsafeRawPointer, _ length: Int) -> Bool {
    guard tail.extend(source, length) else { return false }
    count &+= length
    dropFlat()
    return true
  }

  /// Does the same as ``extend(_:_:)`` if the tail has no room.
  func grow(_ source: UnsafeRawPointer, _ length: Int) {
    let (piece, isWhole) = tail.grown(with: source, length)
    if !isWhole { prefix.append(tail) }
    tail = piece
    count += length
    dropFlat()
  }

  func append(_ middle: DataTree?, _ piece: DataPiece) {
    if middle == nil && tail.isContinued(by: piece) {
      tail.count += piece.count
    } else {
      prefix.append(tail)
      if let middle { prefix.append(middle) }
      tail = piece
    }
    count += piece.count + (middle?.count ?? 0)
    dropFlat()
  }

  // MARK: Reading

  /// The piece that holds a byte, and the index at which it begins.
  func locate(_ index: Int) -> (piece: DataPiece, start: Int) {
    let before = prefix.count
    if index >= before { return (tail, before) }
    if prefix.height == 0 { return (prefix.root, 0) }
    let (piece, start) = prefix.locate(index)
    return (piece.pointee, start)
  }

  @inline(__always)
  func byte(_ index: Int) -> UInt8 {
    let before = prefix.count
    if index >= before { return tail.base.load(fromByteOffset: index &- before, as: UInt8.self) }
    if prefix.height == 0 { return prefix.root.base.load(fromByteOffset: index, as: UInt8.self) }
    let (piece, start) = prefix.locate(index)
    return piece.pointee.base.load(fromByteOffset: index &- start, as: UInt8.self)
  }

  func forEachPiece(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
  ) rethrows -> Bool {
    let before = prefix.count
    if range.lowerBound < before {
      let part = range.clamped(to: 0..<before)
      guard try prefix.forEachPiece(in: part, body) else { return false }
    }
    if range.upperBound > before {
      return try DataTree.forEachPiece(tail.base, tail.count, 0, before, range, body)
    }
    return true
  }

  /// The bytes of a range: the last piece, and the tree of those before it if there are several.
  func slice(_ range: Range<Int>) -> (before: DataTree?, last: DataPiece) {
    let (piece, start) = locate(range.upperBound - 1)
    if start <= range.lowerBound {
      return (nil, piece.slice(range.lowerBound - start..<range.upperBound - start))
    }
    let before = prefix.slice(range.lowerBound..<start)
    return (before, piece.slice(0..<range.upperBound - start))
  }

  // MARK: In one stretch

  /// All bytes in one stretch. The first caller makes the copy, and the rope keeps it.
  func flattened() -> UnsafeRawPointer {
    // order: acquiring, DF1
    if let flat = flat.load(ordering: .acquiring) {
      return flat._withUnsafeGuaranteedRef { $0.base }
    }
    let made = FlatBytes(self)
    let reference = Unmanaged.passRetained(made)  // SAFETY: released by `dropFlat`, or below.
    let (published, other) = flat.compareExchange(
      expected: nil, desired: reference,
      ordering: .acquiringAndReleasing)  // order: acquiring and releasing, DF1
    if published { return made.base }
    reference.release()
    return other!._withUnsafeGuaranteedRef { $0.base }
  }

  @inline(__always)
  private func dropFlat() {
    // order: relaxed; this is the only reference to the rope.
    guard let old = flat.load(ordering: .relaxed) else { return }
    flat.store(nil, ordering: .relaxed)  // order: relaxed; this is the only reference to the rope.
    old.release()
  }
}

/// A rope's bytes in one stretch.
private final class FlatBytes {
  let base: UnsafeRawPointer

  init(_ rope: DataRope) {
    guard let memory = csb_memory_allocate(rope.count) else {
      environmentFailure(
        "malloc", ENOMEM,
        "DispatchData.withUnsafeBytes needs all \(rope.count) bytes in one stretch. Read data of "
          + "this size piece by piece, with enumerateBytes.")
    }
    _ = rope.forEachPiece(in: 0..<rope.count) { bytes, start in
      (memory + start).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      return true
    }
    base = UnsafeRawPointer(memory)
  }

  deinit { csb_memory_free(UnsafeMutableRawPointer(mutating: base)) }
}
