// TracePlaces — the places where events happened: each distinct stack once,
// with a number.
//
// The number is that of a text. At first, the recorder writes only files and
// offsets, which is all that a crash can leave behind. It finds the functions'
// names when it copies the recording.
//
// Touching    under the recorder's lock.

struct TracePlaces {
  struct Place {
    /// The number of the place's text.
    let id: UInt64
    /// When the text was written.
    let when: UInt64
    let addresses: [UInt]
    /// The program's function, after it was looked up: empty if the stack has
    /// none, nil if no function has a name.
    var function: String??
  }

  /// The maximum number of stacks. Events on further stacks get no place; most
  /// programs have few.
  static var most: Int { 4096 }

  /// How many functions of a stack are kept. The innermost are this package's
  /// own; the program's follow.
  static var depth: Int { 28 }

  /// A wait of at least this many nanoseconds always has its place recorded. A
  /// thread can have at most a thousand such waits in a second, which cost it
  /// less than a hundredth of its time.
  static var longWait: UInt64 { 1_000_000 }

  private(set) var all: [Place] = []
  private var numbers: [UInt64: UInt64] = [:]

  /// - Parameter key: a hash of the stack.
  func number(of key: UInt64) -> UInt64? { numbers[key] }

  var hasRoom: Bool { all.count < TracePlaces.most }

  mutating func add(_ place: Place, _ key: UInt64) {
    numbers[key] = place.id
    all.append(place)
  }

  /// Stores the functions that were found, in the order of `all`.
  mutating func keep(_ functions: [String?]) {
    for (place, function) in functions.enumerated() { all[place].function = .some(function) }
  }

  /// An FNV-1a hash of the stack, one word at a time.
  static func key(of addresses: Slice<UnsafeMutableBufferPointer<UInt>>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var place = addresses.startIndex
    while place < addresses.endIndex {
      hash = (hash ^ UInt64(addresses.base[place])) &* 0x100_0000_01b3
      place += 1
    }
    return hash
  }
}
