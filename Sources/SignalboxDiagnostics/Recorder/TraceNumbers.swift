// TraceNumbers — a set of consecutively assigned numbers, as a bit set.

struct TraceNumbers {
  /// The set never contains numbers up to this one.
  let floor: UInt64
  private var words: [UInt64] = []

  /// Makes an empty set for numbers above `floor`.
  init(above floor: UInt64 = 0) { self.floor = floor }

  /// - Returns: whether the number was not in the set.
  @discardableResult
  mutating func insert(_ number: UInt64) -> Bool {
    guard number > floor else { return false }
    let (word, bit) = position(of: number)
    while words.count <= word {
      words.append(contentsOf: repeatElement(0, count: max(words.count, 16)))
    }
    let isNew = words[word] & bit == 0
    words[word] |= bit
    return isNew
  }

  mutating func remove(_ number: UInt64) {
    guard contains(number) else { return }
    let (word, bit) = position(of: number)
    words[word] &= ~bit
  }

  func contains(_ number: UInt64) -> Bool {
    guard number > floor else { return false }
    let (word, bit) = position(of: number)
    return word < words.count && words[word] & bit != 0
  }

  private func position(of number: UInt64) -> (word: Int, bit: UInt64) {
    let distance = number - floor - 1
    return (Int(distance / 64), 1 << (distance % 64))
  }
}
