// ThreadCost — the cost of a thread, beside an item of a queue: `make thread-cost`.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxThreads

package enum ThreadCostScenario: String, CountedScenario {
  case threadCost = "thread-cost"
}

extension ThreadCostScenario: Scenario {
  func run() {
    switch self {
    case .threadCost:
      let rounds = integerArgument(0, default: 5_000)
      let living = integerArgument(1, default: 200)
      print("Each of \(living) threads that live:          resident     virtual      kernel")
      for size in [0, 256 << 10, 8 << 20, 256 << 20] { printMemory(living, stack: size) }
      print(
        "an item that waits in a queue".padded(to: 36) + "\(memoryOfAnItem()) bytes".padded(to: -13)
      )
      let costs = [
        cost("pthread_create and pthread_join", rounds) { onOwnThread {} },
        cost("JoinableThread, started and joined", rounds) {
          let thread = JoinableThread {}
          thread.start()
          thread.join()
        },
        itemCost(rounds),
      ]
      print(
        "\n                                       time     processor  of it in     context switches"
      )
      print(
        "                                 microseconds   microsec.  the kernel  voluntary  others")
      for cost in costs {
        print(
          cost.name.padded(to: 36) + cost.time.words.padded(to: -9)
            + cost.processor.words.padded(to: -12)
            + "\(cost.kernelShare) %".padded(to: -12) + cost.voluntary.words.padded(to: -11)
            + cost.involuntary.words.padded(to: -8))
      }
    }
  }
}

private struct Cost {
  let name: String
  let time, processor, inKernel, voluntary, involuntary: Double

  /// The kernel's share of the processor time, in percent.
  var kernelShare: Int { processor > 0 ? Int((inKernel * 100 / processor).rounded()) : 0 }
}

/// Returns the average cost of `body`.
private func cost(_ name: String, _ rounds: Int, _ body: () -> Void) -> Cost {
  for _ in 0..<rounds / 10 { body() }
  let begin = milliseconds()
  let before = usage()
  for _ in 0..<rounds { body() }
  let after = usage()
  let count = Double(rounds)
  return Cost(
    name: name, time: (milliseconds() - begin) * 1000 / count,
    processor: (after.processor - before.processor) / count,
    inKernel: (after.inKernel - before.inKernel) / count,
    voluntary: Double(after.voluntary - before.voluntary) / count,
    involuntary: Double(after.involuntary - before.involuntary) / count)
}

private func itemCost(_ rounds: Int) -> Cost {
  let queue = DispatchQueue(label: "org.signalbox.cost")
  let group = DispatchGroup()
  return cost("an item of a queue, waited for", rounds) {
    queue.async(group: group) {}
    group.wait()
  }
}

/// Returns the usage of the whole process, including ended threads.
private func usage() -> (processor: Double, inKernel: Double, voluntary: Int, involuntary: Int) {
  var all = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &all)
  func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
  let inKernel = microseconds(all.ru_stime)
  return (microseconds(all.ru_utime) + inKernel, inKernel, all.ru_nvcsw, all.ru_nivcsw)
}

/// Measures in a process of its own, which has no stacks of earlier threads.
private func printMemory(_ count: Int, stack: Int) {
  fflush(nil)
  let child = csc_fork()
  if child == 0 {
    // Excludes the allocator's own memory for threads. No other thread reuses such a small
    // stack.
    _ = memoryOfAThread(32, stack: 64 << 10)
    let memory = memoryOfAThread(count, stack: stack)
    let name = stack == 0 ? "with the usual stack" : "with a stack of \(stack >> 10) KiB"
    print(
      name.padded(to: 36) + "\(memory.resident / 1024) KiB".padded(to: -13)
        + "\(memory.virtual / 1024) KiB".padded(to: -13)
        + "\(memory.kernel / 1024) KiB".padded(to: -12))
    fflush(nil)
    _exit(0)
  }
  if csc_wait(child) != 0 { fail("a child that counts memory failed") }
}

private func memoryOfAThread(_ count: Int, stack: Int) -> Memory {
  let gate = DispatchSemaphore(value: 0)
  let inside = Tally()
  let before = memory()
  let threads = (0..<count).map { _ in
    let thread = JoinableThread {
      inside.increment()
      gate.wait()
    }
    if stack != 0 { thread.thread.stackSize = stack }
    thread.start()
    return thread
  }
  while inside.count < count { sched_yield() }
  let after = memory()
  for _ in threads { gate.signal() }
  for thread in threads { thread.join() }
  return Memory(
    resident: (after.resident - before.resident) / count,
    virtual: (after.virtual - before.virtual) / count,
    kernel: (after.kernel - before.kernel) / count)
}

private func memoryOfAnItem() -> Int {
  let count = 100_000
  let queue = DispatchQueue(label: "org.signalbox.cost")
  queue.suspend()
  let before = bytesInUse()
  for number in 0..<count { queue.async { if number < 0 { print(number) } } }
  let each = (bytesInUse() - before) / count
  queue.resume()
  queue.sync {}
  return each
}

private struct Memory {
  var resident, virtual: Int
  /// The kernel's stacks of the whole machine, because the kernel does not count them for a
  /// process; and the page tables of this process.
  var kernel: Int
}

private func memory() -> Memory {
  let fields = contents(of: "/proc/self/statm")?.split(separator: " ").compactMap { Int($0) } ?? []
  guard fields.count > 1 else { fail("/proc/self/statm cannot be read") }
  let page = Int(getpagesize())
  return Memory(
    resident: fields[1] * page, virtual: fields[0] * page,
    kernel: kibibytes("KernelStack:", in: "/proc/meminfo")
      + kibibytes("VmPTE:", in: "/proc/self/status"))
}

/// Returns the value of a line such as "VmPTE:   48 kB", or 0 if there is none.
private func kibibytes(_ name: String, in file: String) -> Int {
  let line = contents(of: file)?.split(separator: "\n").first { $0.hasPrefix(name) }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}

extension Double {
  /// The number with two decimals.
  fileprivate var words: String {
    let hundredths = Int((self * 100).rounded())
    let rest = abs(hundredths % 100)
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension String {
  /// Returns the string padded with spaces at the end, or at the beginning for a negative
  /// width.
  fileprivate func padded(to width: Int) -> String {
    let spaces = String(repeating: " ", count: max(0, abs(width) - count))
    return width < 0 ? spaces + self : self + spaces
  }
}
