// DataScenarios — what is done with the toolchain's `DispatchData`.

import Dispatch
import Glibc
import OnlyFoundation

func text(_ words: String) -> DispatchData {
  var words = words
  return words.withUTF8 { DispatchData(bytes: UnsafeRawBufferPointer($0)) }
}

func words(_ data: DispatchData?) -> String {
  String(decoding: Array(data ?? .empty), as: UTF8.self)
}

/// "onetwothree" in three regions, and those.
private func threeRegions() -> (all: DispatchData, regions: [String]) {
  let regions = ["one", "two", "three"]
  var all = DispatchData.empty
  for region in regions { all.append(text(region)) }
  return (all, regions)
}

func joinedData() {
  let (all, regions) = threeRegions()
  expect(all.count == 11 && words(all) == "onetwothree")
  var longer = all
  longer.append(all)
  expect(words(longer) == "onetwothreeonetwothree" && all.count == 11, "a value")
  longer.append(.empty)
  var none = DispatchData.empty
  none.append(.empty)
  expect(longer.count == 22 && none.isEmpty && DispatchData.empty.count == 0)
  [UInt16(0x3130), 0x3332].withUnsafeBufferPointer { longer.append($0) }
  expect(words(longer).hasSuffix("three0123"))
  var seen: [String] = []
  all.enumerateBytes { bytes, offset, stop in
    expect(offset == seen.joined().utf8.count)
    seen.append(String(decoding: bytes, as: UTF8.self))
  }
  expect(seen == regions)
  var calls = 0
  all.enumerateBytes { _, offset, stop in
    calls += 1
    stop = offset == 3
  }
  expect(calls == 2, "stopped")
  // A thousand pieces, each piece an object.
  var many = DispatchData.empty
  for index in 0..<1_000 { many.append(text("\(index % 10)")) }
  expect(words(many) == String(repeating: "0123456789", count: 100))
}

func partsOfData() {
  let (all, _) = threeRegions()
  for from in 0...11 {
    for to in from...11 {
      expect(
        words(all.subdata(in: from..<to)) == String("onetwothree".dropFirst(from).prefix(to - from))
      )
    }
  }
  for (index, byte) in "onetwothree".utf8.enumerated() { expect(all[index] == byte) }
  expect(words(all.region(location: 4).data) == "two" && all.region(location: 4).offset == 3)
  expect(all.region(location: 11).offset == 11 && all.region(location: 11).data.isEmpty)
  expect(Array(all[2..<5]) == Array("etw".utf8))
  var target = [UInt8](repeating: 0, count: 5)
  target.withUnsafeMutableBytes { all.copyBytes(to: $0, from: 2..<7) }
  expect(target == Array("etwot".utf8))
  target.withUnsafeMutableBytes { all.copyBytes(to: $0, count: 4) }
  expect(target == Array("onett".utf8))
}

func dataInOneStretch() {
  let (all, _) = threeRegions()
  for _ in 0..<2 {
    all.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in
      expect(
        String(decoding: UnsafeBufferPointer(start: bytes, count: 11), as: UTF8.self)
          == "onetwothree")
    }
  }
  var iterator = all.makeIterator()
  var seen: [UInt8] = []
  while let byte = iterator.next() { seen.append(byte) }
  expect(seen == Array("onetwothree".utf8))
  expect(all.reduce(0) { $0 + Int($1) } == "onetwothree".utf8.reduce(0) { $0 + Int($1) })
  expect(OnlyFoundation.words(of: all) == "onetwothree")
}

/// Each deallocator runs once, on its queue, when nothing needs the memory any more.
func deallocators() {
  let queue = DispatchQueue(label: "org.example.deallocators")
  let (calls, told) = (Shared(0), DispatchSemaphore(value: 0))
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 16)
  defer { bytes.deallocate() }
  bytes.initializeMemory(as: UInt8.self, repeating: 7)
  var part = DispatchData.empty
  do {
    let data = DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(bytes),
      deallocator: .custom(queue) {
        dispatchPrecondition(condition: .onQueue(queue))
        calls.change { $0 += 1 }
        told.signal()
      })
    part = data.subdata(in: 10..<20)
    part.append(data)
    part = part.subdata(in: 5..<15)
    part.withUnsafeBytes { (first: UnsafePointer<UInt8>) in expect(first.pointee == 7) }
  }
  queue.sync { expect(calls.value == 0, "a part keeps the memory") }
  expect(Array(part) == Array(repeating: 7, count: 10))
  part = .empty
  told.wait()
  queue.sync { expect(calls.value == 1) }
  // Without a queue, and without bytes.
  _ = DispatchData(
    bytesNoCopy: UnsafeRawBufferPointer(bytes), deallocator: .custom(nil) { told.signal() })
  told.wait()
  _ = DispatchData(
    bytesNoCopy: UnsafeRawBufferPointer(rebasing: bytes[0..<0]),
    deallocator: .custom(queue) { told.signal() })
  told.wait()
  let copied = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 1)
  copied.initializeMemory(as: UInt8.self, repeating: 1, count: 4)
  let data = DispatchData(bytes: UnsafeRawBufferPointer(start: copied, count: 4))
  copied.storeBytes(of: 2, as: UInt8.self)
  copied.deallocate()
  expect(data[0] == 1, "a copy")
  let heap = malloc(4)!
  heap.initializeMemory(as: UInt8.self, repeating: 3, count: 4)
  expect(
    DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: heap, count: 4), deallocator: .free)[3]
      == 3)
  // A page between others that stay: what another thread maps meanwhile is larger than the gap.
  let size = Int(getpagesize())
  let page = mmap(nil, 3 * size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)! + size
  do {
    let data = DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(start: page, count: size), deallocator: .unmap)
    expect(data.allSatisfy { $0 == 0 } && msync(page, size, MS_ASYNC) == 0)
  }
  expect(msync(page, size, MS_ASYNC) != 0, "unmapped")
}

/// No object is left: the memory of each is freed. The subscript is not used, because the
/// toolchain's interface never releases the data that it reads a byte from.
func freedData() {
  let (freed, made) = (Shared(0), 300)
  let told = DispatchSemaphore(value: 0)
  let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
  defer { byte.deallocate() }
  byte.pointee = 65
  do {
    var all = DispatchData.empty
    for _ in 0..<made {
      all.append(
        DispatchData(
          bytesNoCopy: UnsafeRawBufferPointer(start: byte, count: 1),
          deallocator: .custom(nil) {
            if freed.change({
              $0 += 1
              return $0
            }) == made {
              told.signal()
            }
          }))
    }
    let copy = all
    expect(all.allSatisfy { $0 == 65 } && copy.region(location: 7).offset == 7)
    all.enumerateBytes { _, _, _ in }
    all.withUnsafeBytes { (_: UnsafePointer<UInt8>) in }
  }
  // Less than the 300 s that the program may take, so that this says how many are missing.
  expect(told.wait(timeout: .now() + 200) == .success, "\(freed.value) of \(made) are freed")
}
