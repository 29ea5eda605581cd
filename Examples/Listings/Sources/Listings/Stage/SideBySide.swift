// SideBySide — the same code on several threads at once.

import SignalboxDispatch

/// Runs `body` in `count` items of the global queue and returns when all are
/// done. Unlike the iterations of `concurrentPerform`, which may well run one
/// after the other on a small machine, these items may wait for each other.
func runSideBySide(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    DispatchQueue.global().async(group: group) { body(index) }
  }
  group.wait()
}
