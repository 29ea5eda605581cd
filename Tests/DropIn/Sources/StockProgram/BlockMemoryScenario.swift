// BlockMemoryScenario — where the memory of blocks comes from, and that no two blocks share it.

import CUndeclared
import Dispatch
import Glibc
import StockScenarios

/// The bytes of a node that has room for an item, which are more than the allocator gives for a
/// block with one capture.
private let node = 88

func blockMemory() {
  nodesAreInUse()
  blocksOfAllSizes()
  blocksSubmittedAgain()
  blocksThatOutliveTheirItems()
}

private func nodesAreInUse() {
  let queue = DispatchQueue(label: "org.example.blocks")
  queue.sync {}
  let library = dlopen("libBlocksRuntime.so", RTLD_LAZY | RTLD_NOLOAD)
  // A program into which the Blocks runtime is linked has the allocator's memory, and so has one
  // whose allocator finds the use of freed memory.
  let isChecked = dlsym(nil, "__asan_init") != nil
  expect(
    (bytes_of_small_block() >= node) == (library != nil && !isChecked),
    "\(bytes_of_small_block()) bytes")
  if let library { dlclose(library) }
}

/// Blocks of all sizes are made on one thread and freed on others.
private func blocksOfAllSizes() {
  let wrong = Shared(0)
  let group = DispatchGroup()
  for round in 0..<40 {
    var blocks: [UInt] = []
    for number in 0..<300 {
      let count = Int32(number % 5 + 1)
      blocks.append(UInt(bitPattern: block_with_captures(count, round * 1_000 + number)))
    }
    let made = blocks
    DispatchQueue.global().async(group: group) {
      for number in 0..<300 {
        let captures = number % 5 == 4 ? 6 : number % 5 + 1
        let sum = call_and_free_block(UnsafeMutableRawPointer(bitPattern: made[number])!)
        if sum != captures * (round * 1_000 + number) { wrong.change { $0 += 1 } }
      }
    }
  }
  group.wait()
  expect(wrong.value == 0, "\(wrong.value) blocks")
}

private final class Captured: Sendable {
  let freed: Shared<Int>
  let runs = Shared(0)
  init(_ freed: Shared<Int>) { self.freed = freed }
  deinit { freed.change { $0 += 1 } }
}

/// The thread that made a block submits it several times, while others submit it too.
private func blocksSubmittedAgain() {
  let rounds = 100
  let freed = Shared(0)
  let queues = (0..<3).map { DispatchQueue(label: "org.example.\($0)") } + [.global()]
  let group = DispatchGroup()
  for _ in 0..<rounds {
    let captured = Captured(freed)
    let block: @convention(block) @Sendable () -> Void = { captured.runs.change { $0 += 1 } }
    let begin = DispatchSemaphore(value: 0)
    for queue in queues {
      DispatchQueue.global().async(group: group) {
        begin.wait()
        queue.async(group: group, execute: block)
      }
    }
    for _ in queues { begin.signal() }
    for queue in queues { queue.async(group: group, execute: block) }
    group.wait()
    expect(captured.runs.value == 2 * queues.count, "\(captured.runs.value) runs")
  }
  // The last of the objects may be freed a moment later than its items end.
  let deadline = DispatchTime.now() + 60
  while freed.value < rounds && DispatchTime.now() < deadline { sched_yield() }
  expect(freed.value == rounds, "\(freed.value) freed")
}

/// A block is called, submitted and called again, and keeps what it captures until the end.
private func blocksThatOutliveTheirItems() {
  let freed = Shared(0)
  let queue = DispatchQueue(label: "org.example.kept")
  for round in 0..<300 {
    do {
      let captured = Captured(freed)
      let block: @convention(block) @Sendable () -> Void = { captured.runs.change { $0 += 1 } }
      block()
      queue.async(execute: block)
      queue.sync {}
      block()
      queue.async(execute: block)
      queue.sync {}
      expect(captured.runs.value == 4, "\(captured.runs.value) runs")
      expect(freed.value <= round, "\(freed.value) freed in round \(round)")
    }
    queue.sync {}
  }
  expect(freed.value == 300, "\(freed.value) freed")
}
