// SamplePhotos — the photos that come with the example, and bad ones made here.

import Glibc
import GooglyPhotos
import Testing

enum SamplePhotos {
  static let folder: String = {
    let here = #filePath
    return here.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Photos"
  }()

  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  static let astronaut = path("astronaut.png")
  static let rocket = path("rocket.jpg")
  static let withoutFaces = [
    path("chelsea.png"), path("coffee.png"), path("rocket.jpg"), path("hubble_deep_field.jpg"),
  ]

  static func read(_ path: String) throws -> Picture {
    try Picture.read(FilePath(path), limit: .standard)
  }

  /// A PNG that says it has so many pixels, and has none.
  static func hollowPNG(width: UInt32, height: UInt32) -> [UInt8] {
    func bigEndian(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
      let content = Array(type.utf8) + body
      return bigEndian(UInt32(body.count)) + content + bigEndian(checksum(content))
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0])
      + chunk("IDAT", []) + chunk("IEND", [])
  }

  /// CRC-32 as PNG uses it.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
  }

  /// `jpeg` with the size in its frame header replaced.
  static func jpeg(_ jpeg: [UInt8], sayingWidth width: UInt16, height: UInt16) throws -> [UInt8] {
    var result = jpeg
    var index = 2
    while result[index + 1] & 0xF0 != 0xC0 || result[index + 1] == 0xC4 {
      index += 2 + Int(result[index + 2]) << 8 + Int(result[index + 3])
      try #require(index + 8 < result.count, "no frame header")
    }
    for (offset, value) in [(5, height), (7, width)] {
      result[index + offset] = UInt8(value >> 8)
      result[index + offset + 1] = UInt8(value & 0xFF)
    }
    return result
  }

  /// `jpeg` with an EXIF orientation.
  static func jpeg(_ jpeg: [UInt8], orientation: UInt8, littleEndian: Bool) -> [UInt8] {
    let tiff: [UInt8] =
      littleEndian
      ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
      : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
    let body = Array("Exif".utf8) + [0, 0] + tiff + [0, 0, 0, 0]
    let length = body.count + 2
    return Array(jpeg[..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body
      + Array(jpeg[2...])
  }
}

extension Picture {
  func save(_ path: String, as format: Format) throws {
    let file = try #require(fopen(path, "wb"))
    defer { fclose(file) }
    try write(to: file, as: format)
  }
}
