// TraceNames — the words for the numbers of a recording, appended one by one.
//
// Where they are full, those that nobody needs make room (`Recording.makeRoom`).
//
// Touching    under the recorder's lock. In a crash they are read without it: a record is
//             whole before `namesUsed` says so. While records move down, one of length 0 stands
//             behind those that have moved, at which a reader stops.
// Invariants  I1  where no room is left, no shorter name is taken either, until room was made: the
//                 first that is missing is followed by no other.

struct TraceNames {
  let memory: TraceMemory
  private var used = 0
  private var lost: UInt64 = 0
  /// I1
  private var isFull = false

  /// Longer texts are cut: a name is for people.
  static var longest: Int { 1024 }

  init(_ memory: TraceMemory) { self.memory = memory }

  /// Goes on behind the names that the memory holds.
  init(goingOnIn memory: TraceMemory) {
    self.memory = memory
    used = Int(memory.word(TraceLayout.Header.namesUsed))
    lost = UInt64(memory.word(TraceLayout.Header.namesLost))
  }

  /// How many bytes a name takes.
  static func size(_ count: Int) -> Int { (TraceLayout.nameHeaderSize + count + 7) & ~7 }

  /// Whether there is room for a name of so many bytes.
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
    typealias Place = TraceLayout.Name
    record.storeBytes(
      of: UInt32(length).littleEndian, toByteOffset: Place.length, as: UInt32.self)
    record.storeBytes(of: subject.rawValue, toByteOffset: Place.subject, as: UInt8.self)
    record.storeBytes(of: flags, toByteOffset: Place.flags, as: UInt8.self)
    record.storeBytes(
      of: UInt16(text.count).littleEndian, toByteOffset: Place.textSize, as: UInt16.self)
    record.storeBytes(of: id.littleEndian, toByteOffset: Place.id, as: UInt64.self)
    record.storeBytes(of: extra.littleEndian, toByteOffset: Place.extra, as: UInt64.self)
    record.storeBytes(of: when.littleEndian, toByteOffset: Place.when, as: UInt64.self)
    if let bytes = text.baseAddress {
      (record + TraceLayout.nameHeaderSize).copyMemory(from: bytes, byteCount: text.count)
    }
    used += length
    memory.set(TraceLayout.Header.namesUsed, UInt32(used))
  }

  // MARK: Making room

  /// What a record says, but for its text.
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

  /// Takes out the names that are not needed.
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

  /// The length is written last, and before it that none follows.
  private func move(_ record: Record, _ from: Int, _ to: Int) {
    let (source, place) = (memory.names + from, memory.names + to)
    let first = TraceLayout.Name.subject
    place.storeBytes(of: 0, as: UInt32.self)
    (place + first).copyMemory(from: source + first, byteCount: record.length - first)
    // What has been taken out leaves room for it.
    (place + record.length).storeBytes(of: 0, as: UInt32.self)
    place.storeBytes(of: UInt32(record.length).littleEndian, as: UInt32.self)
  }

  private func record(at offset: Int) -> Record {
    let record = memory.names + offset
    typealias Place = TraceLayout.Name
    return Record(
      length: Int(
        UInt32(littleEndian: record.load(fromByteOffset: Place.length, as: UInt32.self))),
      subject: record.load(fromByteOffset: Place.subject, as: UInt8.self),
      id: UInt64(littleEndian: record.load(fromByteOffset: Place.id, as: UInt64.self)),
      extra: UInt64(littleEndian: record.load(fromByteOffset: Place.extra, as: UInt64.self)),
      when: UInt64(littleEndian: record.load(fromByteOffset: Place.when, as: UInt64.self)))
  }
}
