// EngineFinderTests — which files in a process's memory have an engine that can be read.

import Glibc
@testable import SignalboxInspector
import Testing

@Suite struct EngineFinderTests {
  private func find(_ image: ProcessImage) -> EngineFinder.Findings {
    EngineFinder(TargetMemory(image)).find(in: image.maps)
  }

  @Test(arguments: [0x20_0000, 0x5555_0000_0000, 0x7FFF_FFF0_0000] as [UInt64])
  func theNoteLeadsToTheTableWhereverTheFileIs(_ base: UInt64) throws {
    let found = find(ProcessImage(base: base))
    #expect(found.engines.map(\.path) == ["/bin/image"])
    #expect(found.refused.isEmpty && !found.isForeign)
  }

  @Test func aFileThatIsMappedAsDataIsNoEngine() throws {
    let image = ProcessImage()
    image.put(0, at: ProcessImage.table + 24)
    let found = find(image)
    #expect(found.engines.isEmpty && found.refused.map(\.fault) == [.notThere])
  }

  @Test func anotherVersionIsNamed() throws {
    let image = ProcessImage()
    image.put(7, at: ProcessImage.table + 8, size: 4)
    #expect(find(image).refused.map(\.fault) == [.version(7)])
  }

  @Test func anEngineWithoutATableIsOfVersionZero() throws {
    let image = ProcessImage()
    // The second note is another one.
    image.put(9, at: ProcessImage.note + 28 + 8, size: 4)
    #expect(find(image).refused.map(\.fault) == [.version(0)])
  }

  @Test func aProgramOf32BitsIsForeign() throws {
    let image = ProcessImage()
    image.bytes[4] = 1
    let found = find(image)
    #expect(found.engines.isEmpty && found.isForeign)
  }

  @Test func aProgramWithoutNotesHasNone() throws {
    let image = ProcessImage()
    image.put(0, at: 120, size: 4)
    let found = find(image)
    #expect(found.engines.isEmpty && found.refused.isEmpty)
  }

  @Test func twoCopiesAreBothFound() throws {
    struct Both: MemorySource {
      let one: ProcessImage, two: ProcessImage
      func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        (address < two.base ? one : two).copy(from: address, into: buffer)
      }
    }
    let both = Both(one: ProcessImage(), two: ProcessImage(base: 0x5556_0000_0000))
    let found = EngineFinder(TargetMemory(both)).find(in: both.one.maps + both.two.maps)
    #expect(found.engines.count == 2)
  }

  @Test func aFileThatIsMappedTwiceIsOneCopy() throws {
    let image = ProcessImage()
    let found = EngineFinder(TargetMemory(image)).find(in: image.maps + image.maps)
    #expect(found.engines.count == 1 && found.refused.isEmpty)
  }

  @Test func onlyTheFirstByteOfAFileCounts() throws {
    let image = ProcessImage()
    let start = String(image.base, radix: 16)
    let maps = """
      \(start)-ffffffffffff r--p 00001000 08:02 17 /bin/image
      \(start)-ffffffffffff ---p 00000000 08:02 17 /bin/image
      \(start)-ffffffffffff rw-p 00000000 00:00 0 [heap]
      nonsense
      """
    #expect(EngineFinder(TargetMemory(image)).find(in: maps).engines.isEmpty)
  }

  /// As of a database that maps thousands of files.
  @Test func anEngineIsFoundAmongManyFiles() throws {
    let image = ProcessImage()
    var maps = ""
    for number in 0..<5000 {
      maps +=
        "\(String(4096 + number * 4096, radix: 16))-ffffffffffff r--p 00000000 08:02 \(number + 100) /data\n"
    }
    let code = image.maps.replacing("r--p 00000000", with: "r-xp 00001000")
    let findings = EngineFinder(TargetMemory(image)).find(in: maps + image.maps + code)
    #expect(findings.engines.map(\.path) == ["/bin/image"] && !findings.isCut)
    // Files with code come first, up to a limit of their own.
    let files = MappedFiles(maps + image.maps + code, limit: (1, 2))
    #expect(files.starts.map(\.path) == ["/bin/image", "/data", "/data"] && !files.isCut)
    let none = MappedFiles(maps + image.maps + code, limit: (0, 2))
    #expect(none.starts.map(\.path) == ["/data", "/data"] && none.isCut)
  }

  @Test func aRefusalOfTheSystemEndsTheSearch() throws {
    struct Refusing: MemorySource {
      func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 { EPERM }
    }
    let memory = TargetMemory(Refusing())
    #expect(EngineFinder(memory).find(in: ProcessImage().maps).engines.isEmpty)
    #expect(memory.failure == EPERM)
  }
}
