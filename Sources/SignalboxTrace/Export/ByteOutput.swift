// ByteOutput — a buffer that writes bytes to a file or collects them in memory.
//
// It keeps the first error and drops all output after it. Callers of `put` need
// not check for errors; the caller of `finish` must.

struct ByteOutput {
  /// The buffer size at which the output is written to the file.
  private static let size = 1 << 16

  private(set) var bytes: [UInt8] = []
  private let file: TraceFile?
  private var failure: TraceExportError?

  /// Collects the output in memory.
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

  /// Writes a number in decimal digits.
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

  /// Writes the rest of the buffer, and throws if any write failed.
  mutating func finish() throws(TraceExportError) {
    flush()
    if let failure { throw failure }
  }
}
