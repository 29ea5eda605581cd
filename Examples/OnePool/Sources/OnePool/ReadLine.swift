// ReadLine — a line of a file.

import Glibc

/// - Returns: nil at the end of the file.
func readLine(of file: UnsafeMutablePointer<FILE>) -> String? {
  var buffer = [CChar](repeating: 0, count: 4096)
  guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
  let text = buffer.prefix { $0 != 0 && $0 != 10 }
  return String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
