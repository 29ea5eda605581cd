// TargetMemory — reads numbers, texts and structures from a memory source, within the limits.
//
// Whatever the memory holds, a reading yields a value or nil. All sums of addresses may wrap around;
// then the kernel finds nothing there.

import Glibc

package final class TargetMemory {
  private let source: any MemorySource
  private var bytesLeft = Limits.bytes
  private var readingsLeft = Limits.readings
  /// The errno of the first reading that failed for a reason other than its address.
  package private(set) var failure: Int32 = 0
  /// Whether a limit was reached.
  package var isExhausted: Bool { bytesLeft <= 0 || readingsLeft <= 0 }

  package init(_ source: any MemorySource) { self.source = source }

  func bytes(at address: UInt64, count: Int) -> [UInt8]? {
    guard failure == 0, !isExhausted, address != 0, count > 0, count <= bytesLeft else {
      if count > bytesLeft { bytesLeft = 0 }
      return nil
    }
    readingsLeft -= 1
    bytesLeft -= count
    var error: Int32 = 0
    let copied = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      error = source.copy(from: address, into: UnsafeMutableRawBufferPointer(buffer))
      used = error == 0 ? count : 0
    }
    if error == 0 { return copied }
    // EINVAL: an address that wraps around.
    if error != EFAULT && error != EINVAL { failure = error }
    return nil
  }

  func number(at address: UInt64, size: Int = 8) -> UInt64? {
    guard size >= 1, size <= 8 else { return nil }
    return bytes(at: address, count: size).map { TargetMemory.number($0, at: 0, size: size) }
  }

  /// A number in little-endian order; 0 if it is not within the bytes.
  static func number(_ bytes: [UInt8], at offset: Int, size: Int) -> UInt64 {
    guard offset >= 0, size <= 8, offset <= bytes.count - size else { return 0 }
    var value: UInt64 = 0
    for index in (0..<size).reversed() { value = value << 8 | UInt64(bytes[offset + index]) }
    return value
  }

  /// A text that ends with a zero, cut at the limit.
  func text(at address: UInt64) -> String? {
    var text: [UInt8] = []
    while text.count < Limits.text {
      let start = address &+ UInt64(text.count)
      // No further than the page, because the next one may not be mapped.
      let room = min(Limits.text - text.count, 4096 - Int(start % 4096))
      guard let piece = bytes(at: start, count: room) else { return nil }
      let part = piece.prefix { $0 != 0 }
      text += part
      if part.count < piece.count { return DisplayText.make(text, isCut: false) }
    }
    return DisplayText.make(text, isCut: true)
  }

  /// A string of known length, cut at the limit.
  func text(at address: UInt64, length: UInt64) -> String? {
    if length == 0 { return "" }
    let count = Int(min(length, UInt64(Limits.text)))
    return bytes(at: address, count: count).map {
      DisplayText.make($0, isCut: length > UInt64(count))
    }
  }
}
