// AutoreleasePool — lets ported code compile.

/// Runs `body` and returns its result.
///
/// Linux has no autorelease pools: references are counted, and an object is freed with its last
/// reference.
///
/// If another module that you import declares the same function for Linux, calls use that one.
///
/// Source: Apple's documentation of `autoreleasepool(invoking:)`.
@_disfavoredOverload
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
