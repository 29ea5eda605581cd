// Misuse of data: indices and ranges outside, memory that cannot be freed.

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
struct DataMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("a subscript reads a byte behind the end", says: "DispatchData", "index 3", "3 bytes") {
      _ = data[3]
    }
    Misuse(
      "a subscript reads a byte before the beginning", says: "DispatchData", "index -1", "3 bytes"
    ) {
      _ = data[-1]
    }
    Misuse("a subscript reads a byte of empty data", says: "DispatchData", "index 0", "0 bytes") {
      _ = DispatchData.empty[0]
    }
    Misuse("a slice ends behind the end", says: "DispatchData", "subscript", "1..<4", "3 bytes") {
      _ = data[1..<4]
    }
    Misuse("subdata ends behind the end", says: "DispatchData", "subdata", "1..<4", "3 bytes") {
      _ = data.subdata(in: 1..<4)
    }
    Misuse(
      "subdata starts before the beginning", says: "DispatchData", "subdata", "-1..<2", "3 bytes"
    ) {
      _ = data.subdata(in: -1..<2)
    }
    Misuse(
      "empty subdata starts behind the end", says: "DispatchData", "subdata", "4..<4", "3 bytes"
    ) {
      _ = data.subdata(in: 4..<4)
    }
    Misuse("a region lies behind the end", says: "DispatchData", "index 4", "3 bytes") {
      _ = data.region(location: 4)
    }
    Misuse("a region lies before the beginning", says: "DispatchData", "index -1", "3 bytes") {
      _ = data.region(location: -1)
    }
    Misuse(
      "a copy asks for more bytes than there are", says: "DispatchData", "copyBytes(to:count:)",
      "0..<4", "3 bytes"
    ) {
      data.copyBytes(to: target, count: 4)
    }
    Misuse("a copy asks for a negative count", says: "DispatchData", "copyBytes(to:count:)", "-1") {
      data.copyBytes(to: target, count: -1)
    }
    Misuse(
      "a copied range ends behind the end", says: "DispatchData", "copyBytes(to:from:)", "2..<5",
      "3 bytes"
    ) {
      data.copyBytes(to: target, from: 2..<5)
    }
    Misuse(
      "a copied range is larger than the buffer", says: "DispatchData", "copyBytes(to:from:)",
      "3 bytes", "buffer of 2"
    ) {
      data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: target[..<2]), from: 0..<3)
    }
    Misuse(
      "a copied range of elements ends behind the end", says: "DispatchData", "copyBytes(to:from:)",
      "3..<4", "3 bytes"
    ) {
      _ = data.copyBytes(to: target.bindMemory(to: UInt8.self), from: 3..<4)
    }
    // 2 to the 63rd is one more than an Int counts.
    Misuse(
      "data grows to more bytes than an Int counts", says: "DispatchData.append", "\(1 << 62) bytes"
    ) {
      var doubled = data.subdata(in: 0..<1)
      for _ in 0..<62 { doubled.append(doubled) }
      doubled.append(doubled)
    }
    Misuse(
      "data unmaps memory that was never mapped", says: "DispatchData", ".unmap", "15 bytes",
      "errno 22"
    ) {
      let inside = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[1...])
      _ = DispatchData(bytesNoCopy: inside, deallocator: .unmap)
    }
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
    #expect(text.contains("SIGNALBOX CANNOT CONTINUE: malloc"))
    #expect(text.contains("enumerateBytes"))
  }
}
