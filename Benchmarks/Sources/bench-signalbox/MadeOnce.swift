// A value that is made once, by `Once`. `bench-toolchain` has it as a lazy global.

// SAFETY: `made` is written by the body of `once`, and read after it.
final class MadeOnce: @unchecked Sendable {
  private let once = Once()
  private var made = UInt64(0)

  @inline(never)
  func value() -> UInt64 {
    once.perform { made = madeValue() }
    return made
  }
}

@inline(never)
private func madeValue() -> UInt64 { UInt64.random(in: 1...9) }
