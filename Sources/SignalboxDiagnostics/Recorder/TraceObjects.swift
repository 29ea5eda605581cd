// TraceObjects — assigns numbers to objects by address and name.
//
// A set-associative table of a fixed size. It forgets the object that was used
// least recently, which then gets a new number. An address also gets a new
// number when it comes with another name, or after its object was reported
// gone. No number is assigned twice.
//
// Touching    under the recorder's lock.

struct TraceObjects {
  private struct Entry {
    var key: UInt = 0
    var id: UInt64 = 0
    /// A hash of the name; 0 while the name is unknown.
    var name: UInt64 = 0
    /// The value of `meetings` at its last use.
    var met: UInt64 = 0
    var kind = TraceObjectKind.other
  }

  private static let ways = 8
  private static let sets = 512

  private var entries = Array(repeating: Entry(), count: TraceObjects.ways * TraceObjects.sets)
  private var meetings: UInt64 = 0
  private(set) var lastID: UInt64 = 0

  /// The result of a lookup.
  struct Found {
    let id: UInt64
    /// Whether the caller must write the name record.
    let isNew: Bool
    /// Whether the lookup took an address's number away.
    var isChange = false
  }

  /// The number of the object at this address.
  ///
  /// - Parameter name: a hash of its name; 0 if the caller doesn't know it.
  mutating func find(_ key: UInt, _ kind: TraceObjectKind, name: UInt64) -> Found {
    meetings += 1
    let first = TraceObjects.set(of: key)
    var oldest = first
    for index in first..<first + TraceObjects.ways {
      if entries[index].key == key && entries[index].kind == kind {
        entries[index].met = meetings
        let known = entries[index].name
        if name == 0 || name == known { return Found(id: entries[index].id, isNew: false) }
        entries[index].name = name
        // The entry had no name so far, or the address now holds another
        // object.
        if known != 0 { entries[index].id = nextID() }
        return Found(id: entries[index].id, isNew: true, isChange: known != 0)
      }
      if entries[index].met < entries[oldest].met { oldest = index }
    }
    let isChange = entries[oldest].id != 0
    entries[oldest] = Entry(key: key, id: nextID(), name: name, met: meetings, kind: kind)
    return Found(id: entries[oldest].id, isNew: true, isChange: isChange)
  }

  /// The number of the object at this address, if it has both a number and a
  /// name.
  mutating func known(_ key: UInt, _ kind: TraceObjectKind) -> UInt64? {
    let first = TraceObjects.set(of: key)
    for index in first..<first + TraceObjects.ways
    where entries[index].key == key && entries[index].kind == kind && entries[index].name != 0 {
      meetings += 1
      entries[index].met = meetings
      return entries[index].id
    }
    return nil
  }

  /// All numbers in the table.
  var numbers: TraceNumbers {
    var numbers = TraceNumbers()
    for entry in entries where entry.id != 0 { numbers.insert(entry.id) }
    return numbers
  }

  /// Forgets the object at this address.
  ///
  /// - Returns: whether the object had a number.
  mutating func forget(_ key: UInt, _ kind: TraceObjectKind) -> Bool {
    let first = TraceObjects.set(of: key)
    for index in first..<first + TraceObjects.ways
    where entries[index].key == key && entries[index].kind == kind {
      entries[index] = Entry()
      return true
    }
    return false
  }

  private mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  private static func set(of key: UInt) -> Int {
    // Fibonacci hashing: addresses differ in their middle bits.
    let hash = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
    return Int(hash >> 55) * ways
  }

  /// An FNV-1a hash of a name's bytes, never 0.
  static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return max(hash, 1)
  }
}
