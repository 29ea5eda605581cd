// TraceNames — the append-only table of names in a recording.
//
// When the table is full, `Recording.makeRoom` removes names that are no longer
// in use.
//
// Touching    under the recorder's lock. A crash handler reads the names without
//             it: a record is complete before `namesUsed` covers it. While
//             records move down, a record of length 0 follows those that have
//             moved, and a reader stops there.
// Invariants  I1  after a name did not fit, no shorter name is appended until
//                 room is made: no name follows the first missing one.

struct TraceNames {
  let memory: TraceMemory
  private var used = 0
  private var lost: UInt64 = 0
  /// I1.
  private var isFull = false

  /// The maximum length in bytes. Longer texts are truncated.
  static var longest: Int { 1024 }

  init(_ memory: TraceMemory) { self.memory = memory }

  /// Appends after the names that the memory already holds.
  init(goingOnIn memory: TraceMemory) {
    self.memory = memory
    used = Int(memory.word(TraceLayout.Header.namesUsed))
    lost = UInt64(memory.word(TraceLayout.Header.namesLost))
  }

  /// The size in bytes of a record whose text has `count` bytes.
  static func size(_ count: Int) -> Int { (TraceLayout.nameHeaderSize + count + 7) & ~7 }

  /// Whether a name of `count` bytes fits.
  func hasRoom(_ count: Int) -> Bool {
    !isFull && used + TraceNames.size(count) <= memory.namesSize
  }

  mutating func append(
    _ subject: TraceSubject, id: UInt64, flags: UInt8 = 0, extra: UInt64 = 0, when: UInt64,
    _ text: UnsafeBufferPointer<UInt8>
  ) {
    guard hasRoom(text.count) else {
      isFull = true
      lost += 1
      return memory.set(TraceLayout.Header.namesLost, lost)
    }
    let length = TraceNames.size(text.count)
    let record = memory.names + used
    typealias Field = TraceLayout.Name
    record.storeBytes(
      of: UInt32(length).littleEndian, toByteOffset: Field.length, as: UInt32.self)
    record.storeBytes(of: subject.rawValue, toByteOffset: Field.subject, as: UInt8.self)
    record.storeBytes(of: flags, toByteOffset: Field.flags, as: UInt8.self)
    record.storeBytes(
      of: UInt16(text.count).littleEndian, toByteOffset: Field.textSize, as: UInt16.self)
    record.storeBytes(of: id.littleEndian, toByteOffset: Field.id, as: UInt64.self)
    record.storeBytes(of: extra.littleEndian, toByteOffset: Field.extra, as: UInt64.self)
    record.storeBytes(of: when.littleEndian, toByteOffset: Field.when, as: UInt64.self)
    if let bytes = text.baseAddress {
      (record + TraceLayout.nameHeaderSize).copyMemory(from: bytes, byteCount: text.count)
    }
    used += length
    memory.set(TraceLayout.Header.namesUsed, UInt32(used))
  }

  // MARK: Making room

  /// A name record without its text.
  struct Record {
    let length: Int
    let subject: UInt8
    let id: UInt64
    let extra: UInt64
    let when: UInt64
  }

  func forEach(_ body: (Record) -> Void) {
    var offset = 0
    while offset < used {
      let record = record(at: offset)
      body(record)
      offset += record.length
    }
  }

  /// Removes the names for which `isNeeded` returns false.
  mutating func keep(_ isNeeded: (Record) -> Bool) {
    var (from, to) = (0, 0)
    while from < used {
      let record = record(at: from)
      if isNeeded(record) {
        if from != to { move(record, from, to) }
        to += record.length
      }
      from += record.length
    }
    if to < used { isFull = false }
    used = to
    memory.set(TraceLayout.Header.namesUsed, UInt32(used))
  }

  /// Moves a record down. Writes its length last, and before that the end mark
  /// after it.
  private func move(_ record: Record, _ from: Int, _ to: Int) {
    let (source, copy) = (memory.names + from, memory.names + to)
    let first = TraceLayout.Name.subject
    copy.storeBytes(of: 0, as: UInt32.self)
    (copy + first).copyMemory(from: source + first, byteCount: record.length - first)
    // The removed records leave room for the end mark.
    (copy + record.length).storeBytes(of: 0, as: UInt32.self)
    copy.storeBytes(of: UInt32(record.length).littleEndian, as: UInt32.self)
  }

  private func record(at offset: Int) -> Record {
    let record = memory.names + offset
    typealias Field = TraceLayout.Name
    return Record(
      length: Int(
        UInt32(littleEndian: record.load(fromByteOffset: Field.length, as: UInt32.self))),
      subject: record.load(fromByteOffset: Field.subject, as: UInt8.self),
      id: UInt64(littleEndian: record.load(fromByteOffset: Field.id, as: UInt64.self)),
      extra: UInt64(littleEndian: record.load(fromByteOffset: Field.extra, as: UInt64.self)),
      when: UInt64(littleEndian: record.load(fromByteOffset: Field.when, as: UInt64.self)))
  }
}
