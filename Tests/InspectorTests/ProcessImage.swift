// ProcessImage — memory that a test makes: a program with an engine, its table, and lists.
//
// Offsets are the image's own, so that a reader that assumes those of the real engine fails.

import Glibc
@testable import SignalboxInspector

final class ProcessImage: MemorySource {
  /// Where the program's file is mapped.
  let base: UInt64
  var bytes: [UInt8]
  private(set) var readings = 0
  /// Called before each reading with its number.
  var beforeReading: (Int) -> Void = { _ in }
  private var next: Int

  static let size = 1 << 18
  static let table = 0x1000
  static let note = 0x400

  init(base: UInt64 = 0x5555_0000_0000) {
    self.base = base
    bytes = [UInt8](repeating: 0, count: ProcessImage.size)
    next = 0x10000
    writeHeaders()
    writeTable()
  }

  /// The same memory once more.
  init(copying other: ProcessImage) {
    base = other.base
    bytes = other.bytes
    next = other.next
  }

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    readings += 1
    beforeReading(readings)
    let (end, overflows) = address.addingReportingOverflow(UInt64(buffer.count))
    guard address >= base, !overflows, end <= base + UInt64(bytes.count) else { return EFAULT }
    bytes.withUnsafeBytes {
      buffer.copyBytes(from: $0[Int(address - base)..<Int(end - base)])
    }
    return 0
  }

  var maps: String { "\(String(base, radix: 16))-ffffffffffff r--p 00000000 08:02 17 /bin/image\n" }

  // MARK: Writing

  func put(_ value: UInt64, at offset: Int, size: Int = 8) {
    for index in 0..<size {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }

  func put(_ text: String, at offset: Int) {
    for (index, byte) in text.utf8.enumerated() { bytes[offset + index] = byte }
  }

  func number(at offset: Int) -> UInt64 {
    (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }

  func make(_ size: Int) -> Int {
    defer { next += (size + 15) / 16 * 16 }
    return next
  }

  func address(_ offset: Int) -> UInt64 { base + UInt64(offset) }

  /// A text that ends with a zero.
  func text(_ text: String) -> UInt64 {
    let offset = make(text.utf8.count + 1)
    put(text, at: offset)
    return address(offset)
  }

  private func writeHeaders() {
    for (index, byte) in ([0x7F, 0x45, 0x4C, 0x46, 2, 1] as [UInt8]).enumerated() {
      bytes[index] = byte
    }
    put(64, at: 32)
    put(56, at: 54, size: 2)
    put(2, at: 56, size: 2)
    // The first byte of the file is loaded at the virtual address 0x200000.
    put(1, at: 64, size: 4)
    put(0x20_0000, at: 64 + 16)
    put(4, at: 120, size: 4)
    put(0x20_0000 + UInt64(ProcessImage.note), at: 120 + 16)
    put(56, at: 120 + 40)
    put(4, at: 120 + 48)
    for (index, type) in [1, 3].enumerated() {
      let note = ProcessImage.note + index * 28
      put(10, at: note, size: 4)
      put(4, at: note + 4, size: 4)
      put(UInt64(type), at: note + 8, size: 4)
      put("Signalbox", at: note + 12)
    }
    let place = ProcessImage.note + 28 + 24
    put(UInt64(ProcessImage.table - place), at: place, size: 4)
  }

  // MARK: The table

  private var entries = 0

  func entry(
    _ structure: String, _ name: String, _ kind: UInt64, _ value: UInt64, _ size: UInt64
  ) {
    let offset = ProcessImage.table + 32 + entries * 64
    put(structure, at: offset)
    put(name, at: offset + 16)
    put(value, at: offset + 48)
    put(size, at: offset + 56, size: 4)
    put(kind, at: offset + 60, size: 4)
    entries += 1
    put(UInt64(entries), at: ProcessImage.table + 20, size: 4)
  }

  static let fields = [
    "next", "self", "epoch", "number", "kernel_id", "name", "since", "object", "title", "label",
    "holder", "word", "expected", "reason", "label_kind", "holder_kind", "release", "has_deadline",
    "is_taken", "is_main", "is_worker", "frame", "holds", "reader_blocks",
  ]
  static let queueFields = ["next", "object", "target", "items", "state", "shape", "label"]
  let threads = 0x8000
  let queueLists = 0x8100
  let pools = 0x8200

  private func writeTable() {
    put("SBOUTSD\u{1A}", at: ProcessImage.table)
    put(1, at: ProcessImage.table + 8, size: 4)
    put(64, at: ProcessImage.table + 12, size: 4)
    put(200, at: ProcessImage.table + 16, size: 4)
    put(address(ProcessImage.table), at: ProcessImage.table + 24)
    for (index, name) in ProcessImage.fields.enumerated() {
      entry("thread", name, 1, UInt64(index * 8 + 16), 8)
    }
    for (index, name) in ["first", "changes"].enumerated() {
      entry("threads", name, 1, UInt64(index * 8), 8)
      entry("queues", index == 0 ? "first" : "count", 1, UInt64(index * 8), 8)
    }
    entry("queues", "changes", 1, 16, 8)
    for (index, name) in ProcessImage.queueFields.enumerated() {
      entry("queue", name, 1, UInt64(index * 8), name == "label" ? 16 : 8)
    }
    for (index, name) in ["object", "kind", "outer"].enumerated() {
      entry("hold", name, 1, UInt64(index * 8), 8)
    }
    for (index, name) in ["queue", "outer"].enumerated() {
      entry("frame", name, 1, UInt64(index * 8), 8)
    }
    for (index, name) in ["next", "tier", "ceiling", "width", "workers", "running", "pending"]
      .enumerated()
    {
      entry("pool", name, 1, UInt64(index * 8), 8)
    }
    entry("readers", "slots", 1, 8, 48)
    entry("readers", "further", 1, 0, 8)
    entry("readers", "waiting", 3, 2, 0)
    entry("item", "next", 1, 0, 8)
    entry("string", "count", 1, 0, 8)
    entry("string", "object", 1, 8, 8)
    entry("string", "distance", 3, 32, 0)
    for (index, name) in ["for", "in sync, for"].enumerated() {
      entry("reason", name, 3, UInt64(index), 0)
    }
    for (index, name) in ["none", "whole", "reference", "holder"].enumerated() {
      entry("label", name, 3, UInt64(index), 0)
    }
    for (index, name) in ["nobody", "word", "thread", "queue", "workers", "readers", "reader"]
      .enumerated()
    {
      entry("holder", name, 3, UInt64(index), 0)
    }
    for (index, name) in ["work", "queue", "frames"].enumerated() {
      entry("hold", name, 3, UInt64(index), 0)
    }
    entry("release", "nobody", 3, 0, 0)
    entry("queue state", "owner", 3, 0xFFFF_FFFF, 0)
    entry("queue state", "shared", 3, 0xFF << 32, 0)
    entry("queue state", "scheduled", 3, 1 << 48, 0)
    entry("queue state", "gated", 3, 1 << 49, 0)
    entry("queues", "stride", 3, 32, 0)
    entry("threads", "root", 4, address(threads), 1)
    entry("queues", "root", 4, address(queueLists), 2)
    entry("pool", "root", 4, address(pools), 1)
  }

  // MARK: Lists

  /// A thread that waits for a lock; `holder` is the number in the lock's word. Returns the record.
  @discardableResult
  func thread(_ number: UInt64, holder: UInt64 = 0, epoch: UInt64 = 3) -> Int {
    let record = make(256)
    let lock = make(8)
    put(holder, at: lock)
    put(address(record), at: field("self", of: record))
    put(number, at: field("number", of: record))
    put(number + 1000, at: field("kernel_id", of: record))
    put(epoch, at: field("epoch", of: record))
    put(text("thread \(number)"), at: field("name", of: record))
    put(text("the lock"), at: field("title", of: record))
    put(address(lock), at: field("object", of: record))
    put(address(lock), at: field("holder", of: record))
    put(address(lock), at: field("word", of: record))
    put(holder, at: field("expected", of: record))
    put(1, at: field("holder_kind", of: record))
    put(1, at: field("is_taken", of: record))
    put(self.number(at: threads), at: field("next", of: record))
    put(address(record), at: threads)
    return record
  }

  func field(_ name: String, of record: Int) -> Int {
    record + 16 + 8 * ProcessImage.fields.firstIndex(of: name)!
  }

  /// A queue with a short label, in the first list. Returns the record.
  @discardableResult
  func queue(_ label: String, state: UInt64) -> Int {
    let object = make(256)
    let record = object + 64
    put(number(at: queueLists), at: record)
    put(address(object), at: record + 8)
    put(state, at: record + 32)
    put(label, at: record + 48)
    put(0xE0 | UInt64(label.utf8.count), at: record + 48 + 15, size: 1)
    put(address(record), at: queueLists)
    put(number(at: queueLists + 8) + 1, at: queueLists + 8)
    return record
  }

  // MARK: Reading

  /// What a reader finds; nil if it finds no engine.
  func inspect(existing: Set<Int32>? = nil) -> Inspection? {
    ProcessImage.inspect(self, maps, existing: existing)
  }

  static func inspect(
    _ source: any MemorySource, _ maps: String, existing: Set<Int32>? = nil
  ) -> Inspection? {
    let memory = TargetMemory(source)
    let engine = EngineFinder(memory).find(in: maps).engines.first
    return engine.flatMap { Inspection($0, memory, existing: existing) }
  }

  static func text(of inspection: Inspection) -> String {
    let report = TargetReport(
      process: 1, name: "image", uptime: 1 << 40, kernelThreads: [], inspections: [inspection])
    return report.text
  }
}
