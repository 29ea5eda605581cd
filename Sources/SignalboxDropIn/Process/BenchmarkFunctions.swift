// BenchmarkFunctions — dispatch_benchmark, which the toolchain's library exports and its headers
// do not declare: the time that a piece of work takes.

package import SignalboxDispatch
import SignalboxRuntime

/// Runs a block `count` times and returns how many nanoseconds one run takes.
@_cdecl("dispatch_benchmark")
package func dispatchBenchmark(_ count: Int, _ block: UnsafeMutableRawPointer?) -> UInt64 {
  let block = Block(block, "dispatch_benchmark")
  return nanoseconds(count) { block() }
}

/// Runs a function `count` times and returns how many nanoseconds one run takes.
@_cdecl("dispatch_benchmark_f")
package func dispatchBenchmarkFunction(
  _ count: Int, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t?
) -> UInt64 {
  let work = checked(work, "dispatch_benchmark_f")
  return nanoseconds(count) { work(context) }
}

private func nanoseconds(_ count: Int, _ body: () -> Void) -> UInt64 {
  if count <= 0 { return 0 }
  let start = Clock.uptime.now
  for _ in 0..<count { body() }
  return (Clock.uptime.now - start) / UInt64(count)
}
