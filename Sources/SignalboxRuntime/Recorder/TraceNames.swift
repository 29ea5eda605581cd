// TraceNames — the words for the numbers of a recording, appended one by one.
//
// Touching    under the recorder's lock. In a crash they are read without it: a record is
//             whole before `namesUsed` says so.
// Invariants  I1  where no room is left, no shorter name is taken either: the first that is
//                 missing is followed by no other.

struct TraceNames {
  let memory: TraceMemory
  private var used = 0
  private var lost: UInt64 = 0

  /// Longer texts are cut: a name is for people.
  static var longest: Int { 1024 }

  init(_ memory: TraceMemory) { self.memory = memory }

  /// Goes on behind the names that the memory holds.
  init(goingOnIn memory: TraceMemory) {
    self.memory = memory
    used = Int(memory.word(TraceLayout.Header.namesUsed))
    lost = UInt64(memory.word(TraceLayout.Header.namesLost))
  }

  mutating func append(
    _ subject: TraceSubject, id: UInt64, flags: UInt8 = 0, extra: UInt64 = 0, when: UInt64,
    _ text: UnsafeBufferPointer<UInt8>
  ) {
    let length = (TraceLayout.nameHeaderSize + text.count + 7) & ~7
    guard lost == 0, used + length <= memory.namesSize else {
      lost += 1
      return memory.set(TraceLayout.Header.namesLost, lost)
    }
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
}
