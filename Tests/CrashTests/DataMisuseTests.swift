// Misuse of data: indices and ranges outside, memory that cannot be given back.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

/// Three bytes in two pieces, and room to copy some to.
private let data: DispatchData = {
  var data = [1, 2].withUnsafeBytes {
    DispatchData(bytes: UnsafeRawBufferPointer(rebasing: $0[..<2]))
  }
  [UInt8](repeating: 3, count: 1).withUnsafeBytes { data.append(DispatchData(bytes: $0)) }
  return data
}()

private var target: UnsafeMutableRawBufferPointer {
  .allocate(byteCount: 16, alignment: 8)
}

@Suite("data that is asked for what is not there traps")
struct DataMisuseTests {
  @Test func aByteBehindTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data[3]
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "index 3", "3 bytes")
  }

  @Test func aByteBeforeTheBeginning() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data[-1]
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "index -1", "3 bytes")
  }

  @Test func aByteOfNothing() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = DispatchData.empty[0]
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "index 0", "0 bytes")
  }

  @Test func aSliceBeyondTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data[1..<4]
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "subscript", "1..<4", "3 bytes")
  }

  @Test func partOfDataBeyondTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data.subdata(in: 1..<4)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "subdata", "1..<4", "3 bytes")
  }

  @Test func partOfDataBeforeTheBeginning() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data.subdata(in: -1..<2)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "subdata", "-1..<2", "3 bytes")
  }

  @Test func anEmptyPartBehindTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data.subdata(in: 4..<4)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "subdata", "4..<4", "3 bytes")
  }

  @Test func aRegionBehindTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data.region(location: 4)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "index 4", "3 bytes")
  }

  @Test func aRegionBeforeTheBeginning() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data.region(location: -1)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "index -1", "3 bytes")
  }

  @Test func copyingMoreThanThereIs() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      data.copyBytes(to: target, count: 4)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchData", "copyBytes(to:count:)", "0..<4", "3 bytes"
    )
  }

  @Test func copyingANegativeCount() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      data.copyBytes(to: target, count: -1)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData", "copyBytes(to:count:)", "-1")
  }

  @Test func copyingARangeBeyondTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      data.copyBytes(to: target, from: 2..<5)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchData", "copyBytes(to:from:)", "2..<5", "3 bytes")
  }

  @Test func copyingMoreThanThereIsRoomFor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: target[..<2]), from: 0..<3)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchData", "copyBytes(to:from:)", "3 bytes",
      "buffer of 2")
  }

  @Test func copyingElementsOfARangeBeyondTheEnd() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = data.copyBytes(to: target.bindMemory(to: UInt8.self), from: 3..<4)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchData", "copyBytes(to:from:)", "3..<4", "3 bytes")
  }

  /// 2 to the 63rd is one more than an Int counts.
  @Test func moreBytesThanAnIntCounts() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      var doubled = data.subdata(in: 0..<1)
      for _ in 0..<62 { doubled.append(doubled) }
      doubled.append(doubled)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchData.append", "\(1 << 62) bytes")
  }

  @Test func moreBytesInOneStretchThanThereIsMemory() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      var doubled = data.subdata(in: 0..<1)
      for _ in 0..<62 { doubled.append(doubled) }
      doubled.withUnsafeBytes { (_: UnsafePointer<UInt8>) in }
      Trap.notReached()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("SIGNALBOX CANNOT GO ON: malloc"))
    #expect(text.contains("enumerateBytes"))
  }

  @Test func memoryThatWasNeverMapped() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let inside = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[1...])
      _ = DispatchData(bytesNoCopy: inside, deallocator: .unmap)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "DispatchData", ".unmap", "15 bytes", "errno 22")
  }
}
