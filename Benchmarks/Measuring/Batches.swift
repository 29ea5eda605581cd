/// Splits operations into batches that are drained one after the other.
///
/// A producer that outruns its consumer is otherwise measured with a backlog
/// that grows with its own speed, out of the caches: the faster side would pay
/// for being faster. This many items fit the second-level cache.
func inBatches(_ operations: Int, of size: Int = 10_000, _ body: (_ batch: Int) -> Void) {
  var left = operations
  while left > 0 {
    body(min(left, size))
    left -= size
  }
}
