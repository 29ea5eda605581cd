// DataMaking — data made from bytes, copied or not, joined, cut and read.

import Dispatch

enum DataMaking {
  static func run() {
    copied()
    notCopied()
    joined()
    looked()
    deprecated()
  }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  static func copied() {
    let data = bytes(5).withUnsafeBytes { DispatchData(bytes: $0) }
    print(data.count, data.startIndex, data.endIndex, Array(data))
    print(DispatchData.empty.count, DispatchData.empty.isEmpty)
    print(DispatchData(bytes: UnsafeRawBufferPointer(start: nil, count: 0)).count)
  }

  static func notCopied() {
    let block = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 1)
    block.initializeMemory(as: UInt8.self, repeating: 7, count: 4)
    let freed = DispatchSemaphore(value: 0)
    let deallocator = DispatchData.Deallocator.custom(DispatchQueue.global()) {
      block.deallocate()
      freed.signal()
    }
    do {
      let data = DispatchData(
        bytesNoCopy: UnsafeRawBufferPointer(start: block, count: 4), deallocator: deallocator)
      print(Array(data))
    }
    freed.wait()
    print("freed on a queue")

    let atOnce = DispatchSemaphore(value: 0)
    let here: [UInt8] = [1, 2]
    here.withUnsafeBytes { buffer in
      let data = DispatchData(
        bytesNoCopy: buffer, deallocator: .custom(nil, { atOnce.signal() }))
      print(data.count)
    }
    atOnce.wait()
    print("freed without a queue")
  }

  static func joined() {
    var data = DispatchData.empty
    bytes(3).withUnsafeBytes { data.append($0) }
    let other = [UInt8(100), 101].withUnsafeBytes { DispatchData(bytes: $0) }
    data.append(other)
    [UInt16(0x0201), 0x0403].withUnsafeBufferPointer { data.append($0) }
    print(Array(data), data.count)
    let cut = data.subdata(in: 2..<6)
    print(Array(cut), cut.count, data[0], data[4], Array(data[1..<4]), data[1..<4].startIndex)
    // The library decides how long the contiguous bytes around a location are.
    let region = data.region(location: 3)
    print(region.offset <= 3, region.data[3 - region.offset] == data[3])
    print(data.subdata(in: 0..<0).count, data.region(location: data.count).offset)
    print(data.index(after: 2), data.index(before: 2))

    var copy = data
    copy.append(other)
    print(data.count, copy.count)
  }

  static func looked() {
    var data = [UInt8(1), 2, 3].withUnsafeBytes { DispatchData(bytes: $0) }
    data.append([UInt8(4), 5].withUnsafeBytes { DispatchData(bytes: $0) })
    let sum = data.withUnsafeBytes { (pointer: UnsafePointer<UInt8>) -> Int in
      (0..<5).reduce(0) { $0 + Int(pointer[$1]) }
    }
    print(sum)
    var seen: [UInt8] = []
    data.enumerateBytes { buffer, index, stop in
      if index != seen.count || stop { print("out of order") }
      seen += buffer
    }
    print(seen)
    data.enumerateBytes { buffer, index, stop in
      print("once", index)
      stop = true
    }

    var target = [UInt8](repeating: 0, count: 5)
    target.withUnsafeMutableBytes { data.copyBytes(to: $0, count: 4) }
    print(target)
    target.withUnsafeMutableBytes { data.copyBytes(to: $0, from: 2..<5) }
    print(target)
    print(target.withUnsafeMutableBufferPointer { data.copyBytes(to: $0, from: 1..<3) }, target)
    print(target.withUnsafeMutableBufferPointer { data.copyBytes(to: $0) }, target)
    var words = [UInt16](repeating: 0, count: 2)
    print(words.withUnsafeMutableBufferPointer { data.copyBytes(to: $0) }, words)
  }

  static func deprecated() {
    let source = bytes(4)
    source.withUnsafeBufferPointer { buffer in
      var data = DispatchData(bytes: buffer)
      print(Array(data))
      data.append(buffer.baseAddress!, count: 2)
      print(Array(data))
      let kept = DispatchSemaphore(value: 0)
      do {
        let borrowed = DispatchData(
          bytesNoCopy: buffer, deallocator: .custom(nil, { kept.signal() }))
        print(borrowed.count)
      }
      kept.wait()
      var target = [UInt8](repeating: 0, count: 6)
      target.withUnsafeMutableBufferPointer { target in
        data.copyBytes(to: target.baseAddress!, count: 3)
        data.copyBytes(to: target.baseAddress! + 3, from: 4..<6)
      }
      print(target)
    }
  }
}
