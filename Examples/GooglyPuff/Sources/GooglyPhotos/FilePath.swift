// FilePath — a file's name as the kernel knows it: bytes, not text.

package import Glibc

package struct FilePath: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  package init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(cString: UnsafePointer<CChar>) {
    bytes = UnsafeBufferPointer(start: cString, count: strlen(cString)).map(UInt8.init(bitPattern:))
  }

  /// The path as text; what is not UTF-8 becomes a replacement character.
  package var description: String {
    String(decoding: bytes, as: UTF8.self)
  }

  package var isEmpty: Bool { bytes.isEmpty }

  /// What follows the last slash; slashes at the end do not count.
  package var lastComponent: FilePath {
    let trimmed = bytesWithoutTrailingSlashes
    guard let slash = trimmed.lastIndex(of: Self.slash) else { return FilePath(bytes: trimmed) }
    return FilePath(bytes: trimmed[(slash + 1)...])
  }

  /// The folder that holds this file.
  package var folder: FilePath {
    let trimmed = bytesWithoutTrailingSlashes
    guard let slash = trimmed.lastIndex(of: Self.slash) else { return FilePath(".") }
    return slash == 0 ? FilePath("/") : FilePath(bytes: trimmed[..<slash])
  }

  package func appending(_ name: FilePath) -> FilePath {
    if bytes.isEmpty { return name }
    return FilePath(bytes: bytesWithoutTrailingSlashes + [Self.slash] + name.bytes)
  }

  package func appending(_ name: String) -> FilePath {
    appending(FilePath(name))
  }

  package func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
    var terminated = bytes.map(CChar.init(bitPattern:))
    terminated.append(0)
    return try terminated.withUnsafeBufferPointer { try body($0.baseAddress!) }
  }

  private static let slash = UInt8(ascii: "/")

  private var bytesWithoutTrailingSlashes: ArraySlice<UInt8> {
    var end = bytes.count
    while end > 1, bytes[end - 1] == Self.slash { end -= 1 }
    return bytes[..<end]
  }
}

extension FilePath {
  /// What the kernel says about the file, links followed; nil with `errno` set
  /// where it cannot be asked.
  package var status: stat? {
    var status = stat()
    return withCString { stat($0, &status) } == 0 ? status : nil
  }

  package var isFolder: Bool {
    guard let status else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  func isSameFile(as other: FilePath) -> Bool {
    guard let mine = status, let theirs = other.status else { return false }
    return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino
  }
}
