// Picture+Files — pictures from and to JPEG and PNG files.

import CPictures
package import Glibc

extension Picture {
  /// Reads the picture in the file at `path`, the right way up.
  package static func read(
    _ path: FilePath, limit: PhotoLimit
  ) throws(PhotoFailure) -> Picture {
    let file = try open(path)
    defer { fclose(file) }
    return try read(file, limit: limit)
  }

  /// Opens a plain file for reading.
  static func open(_ path: FilePath) throws(PhotoFailure) -> UnsafeMutablePointer<FILE> {
    // Opening a pipe would wait for whoever writes to it.
    guard let status = path.status else { throw .system(doing: "open it", code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAPlainFile }
    guard let file = path.withCString({ fopen($0, "rbe") }) else {
      throw .system(doing: "open it", code: errno)
    }
    return file
  }

  /// Reads the picture in `file` from the file's beginning.
  static func read(
    _ file: UnsafeMutablePointer<FILE>, limit: PhotoLimit
  ) throws(PhotoFailure) -> Picture {
    var storage = cpictures_picture()
    var report = cpictures_report()
    let outcome = cpictures_read(
      file, Int64(limit.pixels), Int64(PhotoLimit.longestSide), &storage, &report)
    try check(outcome, report, doing: "read it", limit: limit)
    return Picture(owning: storage)
  }

  /// What the file of a picture says of it before its pixels.
  package struct Measures: Equatable, Sendable {
    package let width: Int
    package let height: Int
    package let format: Format
    package let bytes: Int
  }

  /// Reads the size of the picture in the file at `path`, and no pixel.
  package static func measure(
    _ path: FilePath, limit: PhotoLimit
  ) throws(PhotoFailure) -> Measures {
    let file = try open(path)
    defer { fclose(file) }
    var storage = cpictures_picture()
    var report = cpictures_report()
    let outcome = cpictures_measure(
      file, Int64(limit.pixels), Int64(PhotoLimit.longestSide), &storage, &report)
    try check(outcome, report, doing: "read it", limit: limit)
    var status = stat()
    guard fstat(fileno(file), &status) == 0 else { throw .system(doing: "read it", code: errno) }
    return Measures(
      width: Int(storage.width), height: Int(storage.height),
      format: storage.format == cpictures_jpeg ? .jpeg : .png, bytes: Int(status.st_size))
  }

  /// Writes the picture to `file`.
  package func write(
    to file: UnsafeMutablePointer<FILE>, as format: Format, quality: Int32 = 95
  ) throws(PhotoFailure) {
    var report = cpictures_report()
    let outcome = cpictures_write(file, &storage, format.code, quality, &report)
    try Self.check(outcome, report, doing: "write the result", limit: .standard)
  }

  private static func check(
    _ outcome: cpictures_outcome, _ report: cpictures_report, doing: String, limit: PhotoLimit
  ) throws(PhotoFailure) {
    switch outcome {
    case cpictures_ok: return
    case cpictures_system_error: throw .system(doing: doing, code: report.code)
    case cpictures_empty: throw .empty
    case cpictures_not_a_picture: throw .notAPhoto
    case cpictures_too_large:
      throw .gigantic(width: Int(report.width), height: Int(report.height), limit: limit)
    case cpictures_cut_short: throw .cutShort
    case cpictures_no_memory: throw .outOfMemory
    default:
      let detail = withUnsafeBytes(of: report.detail) { detail in
        String(decoding: detail.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw .damaged(detail)
    }
  }
}

/// A small picture as the bytes of a file, a hundredth of its pixels' size.
package struct Thumbnail: Sendable {
  package let bytes: [UInt8]
  package let format: Picture.Format
  package let width: Int
  package let height: Int

  /// Sharp in half the width of a page on a fine screen.
  package static let longestSide = 1024

  package init(of picture: Picture) throws(PhotoFailure) {
    let small = try picture.reduced(toSide: Self.longestSide)
    format = small.isTransparent ? .png : .jpeg
    width = small.width
    height = small.height
    var start: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let memory = open_memstream(&start, &size) else { throw .outOfMemory }
    var failure: PhotoFailure?
    do throws(PhotoFailure) {
      try small.write(to: memory, as: format, quality: 85)
    } catch {
      failure = error
    }
    let closed = fclose(memory)
    defer { free(start) }
    if let failure { throw failure }
    guard closed == 0, let start else { throw .outOfMemory }
    bytes = Array(UnsafeRawBufferPointer(start: start, count: size))
  }
}
