// PendingFile — a file that appears under its name when it is whole, or never.
//
// Written under another name in the same folder, then renamed. Whoever drops it
// unpublished leaves nothing behind.

import Glibc
import Synchronization

package final class PendingFile {
  private let target: FilePath
  private let temporary: FilePath
  private var file: UnsafeMutablePointer<FILE>?
  private var isNamed = true

  private static let number = Atomic<Int>(0)

  /// A number that no other file of this process has.
  static func nextNumber() -> Int {
    // order: relaxed; the number alone matters.
    number.add(1, ordering: .relaxed).newValue
  }

  package init(_ target: FilePath) throws(PhotoFailure) {
    self.target = target
    temporary = target.folder.appending(".result.\(getpid()).\(Self.nextNumber()).partial")
    file = temporary.withCString { fopen($0, "wbxe") }
    guard file != nil else {
      isNamed = false
      throw .system(doing: "write \(target)", code: errno)
    }
  }

  deinit {
    if let file { fclose(file) }
    if isNamed { _ = temporary.withCString { unlink($0) } }
  }

  package func write(_ picture: Picture, as format: Picture.Format) throws(PhotoFailure) {
    guard let file else { return }
    try picture.write(to: file, as: format)
    try close()
  }

  package func write(_ bytes: [UInt8]) throws(PhotoFailure) {
    guard let file else { return }
    guard bytes.isEmpty || fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw .system(doing: "write \(target)", code: errno)
    }
    try close()
  }

  /// Writes what `source` holds from its beginning.
  func write(copyOf source: UnsafeMutablePointer<FILE>) throws(PhotoFailure) {
    guard let file else { return }
    rewind(source)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, source)
      guard ferror(source) == 0 else { throw .system(doing: "read it", code: errno) }
      if count == 0 { break }
      guard fwrite(&buffer, 1, count, file) == count else {
        throw .system(doing: "write \(target)", code: errno)
      }
    }
    try close()
  }

  /// Gives the file its name. What had that name is replaced.
  package func publish() throws(PhotoFailure) {
    let outcome = temporary.withCString { from in target.withCString { rename(from, $0) } }
    guard outcome == 0 else { throw .system(doing: "write \(target)", code: errno) }
    isNamed = false
  }

  /// Takes the published file away again.
  func withdraw() {
    _ = target.withCString { unlink($0) }
  }

  /// A disk that is full may say so only now.
  private func close() throws(PhotoFailure) {
    guard let file else { return }
    self.file = nil
    guard fclose(file) == 0 else { throw .system(doing: "write \(target)", code: errno) }
  }
}
