// TracePlaces — where in the program steps were taken: each stack once, under a number.
//
// The number is that of a text. What is written at once names files and offsets, which is
// all that a crash can leave; the functions' names are found when the recording is copied.
//
// Touching    under the recorder's lock.

struct TracePlaces {
  struct Place {
    /// Of its text.
    let id: UInt64
    /// When that was written.
    let when: UInt64
    let addresses: [UInt]
    /// The program's function, once it was looked for: empty if there is none, nil if no function
    /// has a name.
    var function: String??
  }

  /// More stacks than this are not told apart from "nowhere": what a program does is said by few.
  static var most: Int { 4096 }

  /// How many functions are kept of a stack: those of this package first, then the program's.
  static var depth: Int { 28 }

  /// A wait of so many nanoseconds has its place recorded whatever came before. A thread has at
  /// most a thousand of them in a second, which costs it less than a hundredth.
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

  /// Keeps what was found: in the order of `all`.
  mutating func keep(_ functions: [String?]) {
    for (place, function) in functions.enumerated() { all[place].function = .some(function) }
  }

  /// FNV-1a, a word at a time.
  static func key(of addresses: some Sequence<UInt>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for address in addresses { hash = (hash ^ UInt64(address)) &* 0x100_0000_01b3 }
    return hash
  }
}
