import CBenchmark
import Glibc

// What timers, sources and channels do wrong: told by `main.swift`.

/// Processor time of this process, in milliseconds.
func processorTime() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Int(now.tv_sec) * 1_000 + Int(now.tv_nsec) / 1_000_000
}

func makePipe() -> (input: Int32, output: Int32) {
  var ends: [Int32] = [0, 0]
  if pipe(&ends) != 0 { fatalError("no pipe: errno \(errno)") }
  return (ends[0], ends[1])
}

func put(_ byte: UInt8, into descriptor: Int32) {
  var byte = byte
  if write(descriptor, &byte, 1) != 1 { fatalError("write: errno \(errno)") }
}

// D13: wake-ups of all threads a second while a hundred timers fire ten times a second each, at phases that
// are spread evenly.
func wakeUpsOfTimers(leeway: DispatchTimeInterval) -> Int {
  let queue = DispatchQueue(label: "D13")
  let timers = (0..<100).map { number in
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler {}
    timer.schedule(
      deadline: .now() + .milliseconds(100 + number), repeating: .milliseconds(100),
      leeway: leeway)
    timer.activate()
    return timer
  }
  cbench_sleep_microseconds(500_000)
  let before = cbench_sleeps()
  cbench_sleep_microseconds(2_000_000)
  let wakeUps = Int(cbench_sleeps() - before) - 1
  for timer in timers { timer.cancel() }
  queue.sync {}
  return wakeUps / 2
}

// D20: what a source costs in the second after the other side has hung up, if its handler does
// nothing about it.
func costOfHangUp(_ what: String, of ends: (input: Int32, output: Int32), isRead: Bool) {
  let calls = Count()
  let queue = DispatchQueue(label: "D20")
  let source: any DispatchSourceProtocol =
    isRead
    ? DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
    : DispatchSource.makeWriteSource(fileDescriptor: ends.output, queue: queue)
  source.setEventHandler { calls.increment() }
  source.activate()
  cbench_sleep_microseconds(100_000)
  // No call is under way meanwhile: until now, a pipe that can be written to causes one after the other.
  let before = queue.sync {
    close(isRead ? ends.output : ends.input)
    return (calls: calls.value, time: processorTime())
  }
  cbench_sleep_microseconds(1_000_000)
  let cost = processorTime() - before.time
  report("D20", what, "\(calls.value - before.calls) calls, \(cost) ms of processor time")
  source.cancel()
  queue.sync {}
  close(isRead ? ends.input : ends.output)
}

// D21: how long after `close(flags: .stop)` a read of a silent pipe ends.
func timeToStop() -> String {
  let ends = makePipe()
  let queue = DispatchQueue(label: "D21")
  let isOver = Count(), error = Count()
  let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in }
  channel.read(offset: 0, length: 1, queue: queue) { done, _, code in
    if !done { return }
    error.store(Int(code))
    isOver.increment()
  }
  cbench_sleep_microseconds(100_000)
  channel.close(flags: .stop)
  let took = milliseconds(until: { isOver.value > 0 }, atMost: longestStart)
  if isOver.value > 0 { return "error \(error.value) after \(took) ms" }
  // Or it would keep what it holds.
  put(1, into: ends.output)
  return "not within \(took) ms"
}

// D8: how long a user-interactive queue waits while serial queues of the default class compute
// on every processor: an item, and the handler of a read source.
func reportLatency() {
  let computing = Count(), isOver = Count(), told = Count()
  let group = DispatchGroup()
  let ends = makePipe()
  let queue = DispatchQueue(label: "D8", qos: .userInteractive)
  let source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
  source.setEventHandler {
    var byte: UInt8 = 0
    if read(ends.input, &byte, 1) == 1 { told.increment() }
  }
  source.activate()
  let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
  for number in 0..<processors {
    DispatchQueue(label: "D8.\(number)").async(group: group) {
      computing.increment()
      while isOver.value == 0 { cbench_compute(1_000) }
    }
  }
  _ = milliseconds { computing.value == processors }
  func median(_ act: () -> Void) -> UInt64 {
    var times: [UInt64] = []
    for round in 0..<21 {
      // Apart from the last one, which keeps others awake.
      cbench_sleep_microseconds(50_000)
      let start = cbench_now()
      act()
      while told.value <= round, cbench_now() - start < 2_000_000_000 {
        cbench_sleep_microseconds(100)
      }
      times.append((cbench_now() - start) / 1_000)
    }
    told.store(0)
    return times.sorted()[10]
  }
  let item = median { queue.async { told.increment() } }
  let handler = median { put(1, into: ends.output) }
  report("D8", "item of a userInteractive queue among computing ones, µs, median", item)
  report("D8", "read source of such a queue, µs, median", handler)
  isOver.increment()
  group.wait()
  source.cancel()
}
