// AutoreleasePool — so that ported code compiles.

/// Runs `body` and returns its result.
///
/// Linux has no autorelease pools: references are counted, and objects are
/// freed with the last one.
///
/// Source: Apple's documentation of `autoreleasepool(invoking:)`.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
