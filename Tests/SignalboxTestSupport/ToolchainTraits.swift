// ToolchainTraits — tests of what only some toolchains let us do.

package import Testing

extension Trait where Self == ConditionTrait {
  /// Replaces the toolchain's executors of tasks.
  package static var adopting: Self {
    #if compiler(>=6.3) && compiler(<6.4)
      .enabled(if: true)
    #else
      .disabled("adoption needs Swift 6.3")
    #endif
  }

  /// Observes the notifications of one object that is not Foundation's.
  package static var observingOneObject: Self {
    #if compiler(>=6.3)
      .enabled(if: true)
    #else
      .disabled("Foundation of Swift 6.2 finds such an object equal to none")
    #endif
  }
}
