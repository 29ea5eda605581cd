// A value that is made once, by the first to read a global.

struct MadeOnce: Sendable {
  @inline(never)
  func value() -> UInt64 { made }
}

private let made = madeValue()

@inline(never)
private func madeValue() -> UInt64 { UInt64.random(in: 1...9) }
