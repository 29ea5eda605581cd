import BenchmarkReport
import CBenchmark
import Foundation

/// The processors that this process may run on, and how it keeps to some of them.
struct Processors {
  /// One of each core first, then the second ones of the cores. What runs on two of one core shares
  /// its arithmetic.
  let inOrder: [Int]

  init() {
    let allowed = (0..<Int(cbench_processor_limit())).filter { cbench_may_run_on(Int32($0)) != 0 }
    inOrder = allowed.sorted { (Self.placeInCore($0), $0) < (Self.placeInCore($1), $1) }
  }

  /// 1, 2, 4, up to all.
  var steps: [Int] {
    let powers = (0...).lazy.map { 1 << $0 }.prefix { $0 < inOrder.count }
    return powers + [inOrder.count]
  }

  /// Lets this thread, and the processes that it starts, run on so many processors.
  func keep(to count: Int) throws {
    let some = inOrder.prefix(count).map(Int32.init)
    let error = cbench_keep_to(some, Int32(some.count))
    if error != 0 {
      throw Program.Failure(
        description: "cannot keep to \(count) processors: \(String(cString: strerror(error)))")
    }
  }

  /// 0 for the first of a core's processors; 0 for each if the system does not say.
  private static func placeInCore(_ processor: Int) -> Int {
    let file = "/sys/devices/system/cpu/cpu\(processor)/topology/thread_siblings_list"
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return 0 }
    return processorList(text).firstIndex(of: processor) ?? 0
  }
}
