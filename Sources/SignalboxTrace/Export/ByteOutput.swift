// ByteOutput — bytes on their way into a file or into memory.
//
// The first failure is kept and all that follows goes nowhere, so that whoever puts needs not
// look; whoever finishes must.

struct ByteOutput {
  /// What stands here at once at most, as long as there is somewhere to put it.
  private static let size = 1 << 16

  private(set) var bytes: [UInt8] = []
  private let file: TraceFile?
  private var failure: TraceExportError?

  /// Into memory.
  init() { file = nil }

  init(_ file: TraceFile) {
    self.file = file
    bytes.reserveCapacity(2 * ByteOutput.size)
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    bytes.append(byte)
    if bytes.count >= ByteOutput.size { flush() }
  }

  mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= ByteOutput.size { flush() }
  }

  mutating func put(_ more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
    if bytes.count >= ByteOutput.size { flush() }
  }

  /// In decimal digits.
  mutating func put(number: some FixedWidthInteger) {
    if number < 0 { put(UInt8(ascii: "-")) }
    var rest = UInt64(number.magnitude)
    if rest < 10 { return put(UInt8(ascii: "0") + UInt8(rest)) }
    let start = bytes.count
    while rest > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    bytes[start...].reverse()
    if bytes.count >= ByteOutput.size { flush() }
  }

  private mutating func flush() {
    guard let file else { return }
    if failure == nil {
      do throws(TraceExportError) { try file.write(bytes) } catch { failure = error }
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Puts the rest, and tells if anything has failed.
  mutating func finish() throws(TraceExportError) {
    flush()
    if let failure { throw failure }
  }
}
