// SeededGenerator — reproducible random numbers.
//
// Sources     G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
//             Generators" (2014): the mixing function of SplitMix.

import Glibc

package struct SeededGenerator: RandomNumberGenerator, Sendable {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Returns a generator seeded from SIGNALBOX_TEST_SEED, or with a fresh seed. Prints the seed
  /// and the name of the test.
  package static func announced(_ name: String = #function) -> SeededGenerator {
    var seed: UInt64 = 0
    if let text = getenv("SIGNALBOX_TEST_SEED"), let given = UInt64(String(cString: text)) {
      seed = given
    } else {
      var random = SystemRandomNumberGenerator()
      seed = random.next()
    }
    StandardError.print("\(name): SIGNALBOX_TEST_SEED=\(seed)")
    return SeededGenerator(seed: seed)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a generator with an independent sequence, for another thread.
  package mutating func split() -> SeededGenerator { SeededGenerator(seed: next()) }
}
