import Glibc
import GooglyPhotos
import Testing

@Suite struct PictureTests {
  private func failure(_ bytes: [UInt8], megapixels: Int = 64) throws -> PhotoFailure? {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "photo")
    do throws(PhotoFailure) {
      _ = try Picture.read(FilePath(path), limit: PhotoLimit(megapixels: megapixels))
      return nil
    } catch {
      return error
    }
  }

  @Test func pngComesBackPixelForPixel() throws {
    let folder = try TemporaryFolder()
    let picture = try SamplePhotos.read(SamplePhotos.astronaut)
    try picture.save(folder.file("copy.png"), as: .png)
    let copy = try SamplePhotos.read(folder.file("copy.png"))
    #expect(copy.width == 512 && copy.height == 512)
    #expect(copy.format == .png && !copy.isTransparent)
    #expect(differences(picture, copy).isEmpty)
  }

  @Test func transparencyComesBack() throws {
    let folder = try TemporaryFolder()
    // Half red under half alpha: the colour is multiplied.
    let picture = try Picture(width: 3, height: 2, colour: 0x8080_0000)
    try picture.save(folder.file("glass.png"), as: .png)
    let copy = try SamplePhotos.read(folder.file("glass.png"))
    #expect(copy.isTransparent)
    #expect(copy[2, 1] == 0x8080_0000)
  }

  @Test func jpegComesBackNearly() throws {
    let folder = try TemporaryFolder()
    let picture = try Picture(width: 40, height: 30, colour: 0xFF20_80C0)
    try picture.save(folder.file("blue.jpg"), as: .jpeg)
    let copy = try SamplePhotos.read(folder.file("blue.jpg"))
    #expect(copy.width == 40 && copy.height == 30 && copy.format == .jpeg)
    for shift in [0, 8, 16, 24] {
      let (a, b) = (picture[20, 15] >> shift & 255, copy[20, 15] >> shift & 255)
      #expect(abs(Int(a) - Int(b)) <= 3)
    }
  }

  /// Where the corner that the camera calls upper left must lie, by orientation.
  @Test(arguments: [
    (1, 0, 0), (2, 1, 0), (3, 1, 1), (4, 0, 1), (5, 0, 0), (6, 1, 0), (7, 1, 1), (8, 0, 1),
  ])
  func photoIsTurnedAsItsCameraWasHeld(orientation: Int, right: Int, bottom: Int) throws {
    let folder = try TemporaryFolder()
    // A photo 64 wide and 32 high, white in the upper left, grey in the upper right.
    let width = 64, height = 32
    let picture = try Picture(width: width, height: height, colour: 0xFF00_0000)
    for y in 0..<16 {
      for x in 0..<16 {
        picture[x, y] = 0xFFFF_FFFF
        picture[width - 1 - x, y] = 0xFF80_8080
      }
    }
    try picture.save(folder.file("plain.jpg"), as: .jpeg)
    let plain = try bytes(of: folder.file("plain.jpg"))
    for littleEndian in [false, true] {
      let path = try folder.write(
        SamplePhotos.jpeg(plain, orientation: UInt8(orientation), littleEndian: littleEndian),
        to: "turned.jpg")
      let turned = try SamplePhotos.read(path)
      let isOnItsSide = orientation >= 5
      #expect(turned.width == (isOnItsSide ? height : width))
      #expect(turned.height == (isOnItsSide ? width : height))
      let x = right == 1 ? turned.width - 8 : 8
      let y = bottom == 1 ? turned.height - 8 : 8
      #expect(turned[x, y] & 255 > 240, "white corner")
      // The grey corner is the white one's neighbour along the camera's upper edge.
      let greyX = isOnItsSide ? x : turned.width - x
      let greyY = isOnItsSide ? turned.height - y : y
      #expect((100...156).contains(turned[greyX, greyY] & 255), "grey corner")
    }
  }

  @Test func reducedPictureKeepsItsShape() throws {
    let picture = try SamplePhotos.read(SamplePhotos.rocket)
    let small = try picture.reduced(toSide: 320)
    #expect(small.width == 320)
    #expect(small.height == 214)
    #expect(try picture.reduced(toSide: 640) === picture)
  }

  @Test func zeroBytesAreCalledEmpty() throws {
    #expect(try failure([]) == .empty)
  }

  @Test func whatIsNoPhotoIsCalledSo() throws {
    #expect(try failure(Array("Dear diary".utf8)) == .notAPhoto)
    #expect(try failure([0xFF, 0xD8]) == .notAPhoto)
    #expect(try failure([0x89, 0x50]) == .notAPhoto)
  }

  @Test(arguments: ["astronaut.png", "rocket.jpg"])
  func photoCutAnywhereIsNotTaken(name: String) throws {
    let whole = try bytes(of: SamplePhotos.path(name))
    for share in [0.001, 0.3, 0.9, 0.999] {
      let length = Int(Double(whole.count) * share)
      #expect(try failure(Array(whole[..<length])) == .cutShort, "\(length) bytes of \(name)")
    }
    #expect(try failure(Array(whole.dropLast(2))) == .cutShort)
    #expect(try failure(whole) == nil)
  }

  @Test func damagedPhotoIsNotTaken() throws {
    var whole = try bytes(of: SamplePhotos.astronaut)
    for index in 300_000..<300_050 { whole[index] ^= 0x5A }
    guard case .damaged = try failure(whole) else {
      Issue.record("taken")
      return
    }
  }

  @Test func photoBeyondTheLimitIsRefused() throws {
    let limit = PhotoLimit(megapixels: 64)
    #expect(
      try failure(SamplePhotos.hollowPNG(width: 9_000, height: 8_000))
        == .gigantic(width: 9_000, height: 8_000, limit: limit))
    #expect(
      try failure(SamplePhotos.hollowPNG(width: 40_000, height: 10))
        == .gigantic(width: 40_000, height: 10, limit: limit))
    let rocket = try bytes(of: SamplePhotos.rocket)
    #expect(
      try failure(SamplePhotos.jpeg(rocket, sayingWidth: 30_000, height: 30_000))
        == .gigantic(width: 30_000, height: 30_000, limit: limit))
    // The limit itself is taken: this one fails for its missing pixels.
    let failing = try failure(SamplePhotos.hollowPNG(width: 1_000, height: 1_000), megapixels: 1)
    guard case .damaged = failing else {
      Issue.record("\(String(describing: failing))")
      return
    }
  }

  @Test func folderAndPipeAreNoPhotos() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    for name in ["", "pipe"] {
      #expect(throws: PhotoFailure.notAPlainFile) {
        _ = try Picture.read(FilePath(folder.file(name)), limit: .standard)
      }
    }
  }

  @Test(arguments: [Picture.Format.png, .jpeg])
  func fullDiskIsNoticed(format: Picture.Format) throws {
    let picture = try SamplePhotos.read(SamplePhotos.rocket)
    let file = try #require(fopen("/dev/full", "wb"))
    defer { fclose(file) }
    #expect(throws: PhotoFailure.system(doing: "write the result", code: ENOSPC)) {
      try picture.write(to: file, as: format)
    }
  }

  @Test func fullDiskIsNoticedForASmallPictureToo() throws {
    // Small enough to fit in the buffer of its file: only the flush fails.
    let picture = try Picture(width: 4, height: 4, colour: 0xFFFF_FFFF)
    let file = try #require(fopen("/dev/full", "wb"))
    defer { fclose(file) }
    #expect(throws: PhotoFailure.system(doing: "write the result", code: ENOSPC)) {
      try picture.write(to: file, as: .png)
    }
  }
}

/// The places in which two pictures of one size differ.
func differences(_ a: Picture, _ b: Picture) -> [(x: Int, y: Int)] {
  var places: [(x: Int, y: Int)] = []
  for y in 0..<a.height {
    for x in 0..<a.width where a[x, y] != b[x, y] { places.append((x, y)) }
  }
  return places
}
