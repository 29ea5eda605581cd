// TraceNumbers — a set of numbers that are given one after the other, a bit for each.

struct TraceNumbers {
  /// Those up to it are in no set.
  let floor: UInt64
  private var words: [UInt64] = []

  /// For the numbers above `floor`.
  init(above floor: UInt64 = 0) { self.floor = floor }

  /// - Returns: whether it is new.
  @discardableResult
  mutating func insert(_ number: UInt64) -> Bool {
    guard number > floor else { return false }
    let (word, bit) = place(of: number)
    while words.count <= word {
      words.append(contentsOf: repeatElement(0, count: max(words.count, 16)))
    }
    let isNew = words[word] & bit == 0
    words[word] |= bit
    return isNew
  }

  mutating func remove(_ number: UInt64) {
    guard contains(number) else { return }
    let (word, bit) = place(of: number)
    words[word] &= ~bit
  }

  func contains(_ number: UInt64) -> Bool {
    guard number > floor else { return false }
    let (word, bit) = place(of: number)
    return word < words.count && words[word] & bit != 0
  }

  private func place(of number: UInt64) -> (word: Int, bit: UInt64) {
    let distance = number - floor - 1
    return (Int(distance / 64), 1 << (distance % 64))
  }
}
