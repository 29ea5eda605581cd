// withEvery — runs a body for every case of a small set and names the case that failed.

import Testing

/// The choices of the innermost `withEvery` and of the ones around it.
package enum Combination {
  @TaskLocal package static var choices: [String] = []

  package static var text: String { choices.joined(separator: ", ") }
}

/// An error thrown within `withEvery`, with the choices that led to it.
package struct FailedCombination: Error, CustomStringConvertible {
  package let choices: String
  package let cause: any Error

  package var description: String { "with \(choices): \(cause)" }
}

/// Runs the body once for each value. Nested calls run every combination. An error that the
/// body throws is rethrown with the failing combination; issues from `expect` name the
/// combination too if the suite is `.guarded`.
package func withEvery<Values: Sequence>(
  _ name: String, in values: Values, _ body: (Values.Element) throws -> Void
) throws {
  for value in values {
    try Combination.$choices.withValue(Combination.choices + ["\(name) = \(value)"]) {
      do {
        try body(value)
      } catch let failure as FailedCombination {
        throw failure
      } catch {
        throw FailedCombination(choices: Combination.text, cause: error)
      }
    }
  }
}

/// Returns every permutation of the values. Use it for small counts.
package func everyOrder<Value>(of values: [Value]) -> [[Value]] {
  guard let first = values.first else { return [[]] }
  return everyOrder(of: Array(values.dropFirst())).flatMap { rest in
    (0...rest.count).map { place in
      var order = rest
      order.insert(first, at: place)
      return order
    }
  }
}
