// Sources — the cost of idle sources and timers, and what they leave behind.

import CSystemCalls
import Glibc
import SignalboxDispatch

package enum SourceScenario: String, CountedScenario {
  case wakeUpsOfTimersWithLeeway = "wake-ups-of-timers-with-leeway"
  case wakeUpsOfTimersWithoutLeeway = "wake-ups-of-timers-without-leeway"
  case wakeUpsAfterAHangUp = "wake-ups-after-a-hang-up"
  case wakeUpsOfASuspendedSource = "wake-ups-of-a-suspended-source"
  case wakeUpsOfASourceWithoutHandler = "wake-ups-of-a-source-without-handler"
  case wakeUpsOfASourceWhoseHandlerRuns = "wake-ups-of-a-source-whose-handler-runs"
  case wakeUpsOfASourceWithNothingToTell = "wake-ups-of-a-source-with-nothing-to-tell"
  case wakeUpsOfASuspendedTimer = "wake-ups-of-a-suspended-timer"
  case wakeUpsAfterTheLastSource = "wake-ups-after-the-last-source"
  case descriptorsOfSources = "descriptors-of-sources"
  case timersAreFreed = "timers-are-freed"
  case readSourcesAreFreed = "read-sources-are-freed"
  case userDataSourcesAreFreed = "user-data-sources-are-freed"
  case capturesOfCancelledSources = "captures-of-cancelled-sources"
}

extension SourceScenario: Scenario {
  func run() {
    switch self {
    case .wakeUpsOfTimersWithLeeway:
      countWakeUps(leeway: .milliseconds(100))
    case .wakeUpsOfTimersWithoutLeeway:
      countWakeUps(leeway: .nanoseconds(0))
    case .wakeUpsAfterAHangUp:
      countAfterHangUp()
    case .wakeUpsOfASuspendedSource:
      countWaiting { source, ends in
        source.suspend()
        put(1, into: ends.output)
      } then: { source, events in
        source.resume()
        wait { events.count > 0 }
      }
    case .wakeUpsOfASourceWithoutHandler:
      countWaiting { source, ends in
        source.setEventHandler(handler: nil)
        put(1, into: ends.output)
      } then: { source, _ in
        source.setEventHandler { lateEvents.increment() }
        wait { lateEvents.count > 0 }
      }
      report("eventsOfTheNewHandler", min(lateEvents.count, 1))
    case .wakeUpsOfASourceWhoseHandlerRuns:
      // The handler waits for something else, with bytes to read.
      let gate = DispatchSemaphore(value: 0)
      countWaiting { source, ends in
        source.setEventHandler {
          gate.wait()
          source.cancel()
        }
        put(1, into: ends.output)
      } then: { _, _ in
        gate.signal()
      }
    case .wakeUpsOfASourceWithNothingToTell:
      countWaiting { _, _ in
      } then: { _, _ in
      }
    case .wakeUpsOfASuspendedTimer:
      let queue = DispatchQueue(label: "org.signalbox.facts.suspended")
      let events = Tally()
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { events.increment() }
      timer.activate()
      timer.suspend()
      timer.schedule(deadline: .now(), repeating: .milliseconds(1))
      awaitRest()
      report("wakeUps", sleeps(during: 1))
      report("events", events.count)
      timer.resume()
      wait { events.count > 0 }
      report("eventsLater", min(events.count, 1))
      timer.cancel()
    case .wakeUpsAfterTheLastSource:
      let queue = DispatchQueue(label: "org.signalbox.facts.cancelled")
      for _ in 0..<20 { useSources(on: queue) }
      sleepInKernel(seconds: integerArgument(0, default: 10))
      report("wakeUps", sleeps(during: 2))
    case .descriptorsOfSources:
      let queue = DispatchQueue(label: "org.signalbox.facts.descriptors")
      let before = Set(descriptors())
      report("before", before.count)
      useSources(on: queue)
      let own = descriptorsAtRest()
      for _ in 0..<200 { useSources(on: queue) }
      let after = descriptorsAtRest()
      report("own", own.count)
      report("after", after.count)
      report(
        "inherited",
        after.count { !before.contains($0) && fcntl($0, F_GETFD) & FD_CLOEXEC == 0 })
    case .timersAreFreed:
      leftovers(of: useTimers)
    case .readSourcesAreFreed:
      leftovers(of: useReadSources)
    case .userDataSourcesAreFreed:
      leftovers(of: useUserDataSources)
    case .capturesOfCancelledSources:
      countCaptures()
    }
  }
}

// MARK: Wake-ups

/// Runs a thousand timers of a tenth of a second, with their phases spread over it.
private func countWakeUps(leeway: DispatchTimeInterval) {
  let count = 1000
  let queue = DispatchQueue(label: "org.signalbox.facts.leeway")
  let early = Tally(), tallies = (0..<count).map { _ in Tally() }
  let start = DispatchTime.now() + .milliseconds(100)
  let timers = tallies.enumerated().map { number, told in
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let due = start + .microseconds(100 * number)
    timer.setEventHandler {
      told.add(Int(timer.data))
      // The last of the counted firings was due by now.
      if DispatchTime.now() < due + .milliseconds(100 * (told.count - 1)) { early.increment() }
    }
    timer.schedule(deadline: due, repeating: .milliseconds(100), leeway: leeway)
    timer.activate()
    return timer
  }
  sleepInKernel(milliseconds: 400)
  let begun = DispatchTime.now()
  let wakeUps = sleeps(during: 2)
  let ended = DispatchTime.now()
  report("wakeUps", wakeUps)
  // The machine decides how long the two seconds really were.
  let length = Int(ended.uptimeNanoseconds - begun.uptimeNanoseconds)
  report("due", count * length / 100_000_000)
  // Each timer receives all firings that were due by now, even if late.
  let sinceStart = Int(ended.uptimeNanoseconds - start.uptimeNanoseconds)
  let dues = (0..<count).map { 1 + (sinceStart - 100_000 * $0) / 100_000_000 }
  wait { zip(tallies, dues).allSatisfy { $0.count >= $1 } }
  report("lost", zip(tallies, dues).count { $0.count < $1 })
  for timer in timers { timer.cancel() }
  queue.sync {}
  report("early", early.count)
}

/// The handler does not react: it neither reads nor cancels.
private func countAfterHangUp() {
  let kind = integerArgument(0, default: 0)
  var ends: [Int32] = [0, 0]
  let error =
    switch kind {
    case 0: csc_pipe(&ends)
    case 1, 2: csc_socket_pair(&ends, 0)
    default: csc_terminal(&ends)
    }
  if error != 0 { fail("no channel: \(error)") }
  // The host's side of a terminal comes first, and hangs up.
  let (input, output) = kind == 3 ? (ends[1], ends[0]) : (ends[0], ends[1])
  let queue = DispatchQueue(label: "org.signalbox.facts.hang-up")
  // Several sources on one descriptor report once each.
  let events = (0..<integerArgument(1, default: 1)).map { _ in Tally() }
  let sources = events.map { events in
    let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: queue)
    source.setEventHandler { events.increment() }
    source.activate()
    return source
  }
  awaitRest()
  if kind == 2 { shutdown(output, Int32(SHUT_WR)) } else { close(output) }
  awaitRest()
  report("wakeUps", sleeps(during: 1))
  report("fewest", events.map(\.count).min() ?? 0)
  report("most", events.map(\.count).max() ?? 0)
  let gone = DispatchSemaphore(value: 0)
  for source in sources {
    source.setCancelHandler { gone.signal() }
    source.cancel()
  }
  for _ in sources { gone.wait() }
  close(input)
}

private let lateEvents = Tally()

/// Sets up a read source, leaves it alone for a while, and then makes it fire.
private func countWaiting(
  _ setUp: (any DispatchSourceRead, (input: Int32, output: Int32)) -> Void,
  then wake: (any DispatchSourceRead, Tally) -> Void
) {
  let queue = DispatchQueue(label: "org.signalbox.facts.waiting")
  let ends = makePipe()
  let events = Tally()
  let source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
  source.setEventHandler { events.increment() }
  source.activate()
  setUp(source, ends)
  awaitRest()
  report("wakeUps", sleeps(during: 1))
  report("events", events.count)
  wake(source, events)
  report("eventsLater", min(events.count, 1))
  source.cancel()
}

// MARK: Using them

func makePipe() -> (input: Int32, output: Int32) {
  var ends: [Int32] = [0, 0]
  let error = csc_pipe(&ends)
  if error != 0 { fail("no pipe: \(error)") }
  return (ends[0], ends[1])
}

func put(_ byte: UInt8, into descriptor: Int32) {
  var byte = byte
  if write(descriptor, &byte, 1) != 1 { fail("write: \(errno)") }
}

/// The numbers of the open descriptors.
func descriptors() -> [Int32] {
  guard let directory = opendir("/proc/self/fd") else { fail("/proc/self/fd cannot be read") }
  defer { closedir(directory) }
  var numbers: [Int32] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if let number = Int32(name), number != dirfd(directory) { numbers.append(number) }
  }
  return numbers
}

/// The numbers of the descriptors that stay open. A working thread may have one open for a
/// moment: a worker that reads the kernel's data about a thread, or the number of processors.
func descriptorsAtRest() -> [Int32] {
  awaitRest()
  return descriptors()
}

/// Uses and ends one source of each kind.
private func useSources(on queue: DispatchQueue) {
  let told = DispatchSemaphore(value: 0)
  let gone = DispatchSemaphore(value: 0)
  let ends = makePipe()
  let reader = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
  reader.setEventHandler {
    reader.cancel()
    told.signal()
  }
  let writer = DispatchSource.makeWriteSource(fileDescriptor: ends.output, queue: queue)
  writer.setEventHandler {
    writer.cancel()
    put(1, into: ends.output)
    told.signal()
  }
  let timer = DispatchSource.makeTimerSource(queue: queue)
  timer.setEventHandler { told.signal() }
  timer.schedule(deadline: .now())
  let adder = DispatchSource.makeUserDataAddSource(queue: queue)
  adder.setEventHandler { told.signal() }
  let sources: [any DispatchSourceProtocol] = [reader, writer, timer, adder]
  for source in sources {
    source.setCancelHandler { gone.signal() }
    source.activate()
  }
  adder.add(data: 1)
  for _ in 0..<4 { told.wait() }
  timer.cancel()
  adder.cancel()
  for _ in 0..<4 { gone.wait() }
  close(ends.input)
  close(ends.output)
}

// MARK: Leaks

private func useTimers(_ count: Int, _ ran: Tally) {
  let queue = DispatchQueue(label: "org.signalbox.facts.used")
  let done = DispatchSemaphore(value: 0)
  inBatches(of: count) { numbers in
    let timers = numbers.map { number in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler {
        ran.increment()
        done.signal()
      }
      let fires = number % 4 == 0
      timer.schedule(deadline: fires ? .now() : .now() + 3600, repeating: 100)
      timer.activate()
      return timer
    }
    // One in four fires and is then released; the others are cancelled or released.
    for number in numbers { if number % 4 == 0 { done.wait() } else { ran.increment() } }
    for (number, timer) in zip(numbers, timers) where number % 4 < 2 { timer.cancel() }
  }
  queue.sync {}
}

private func useReadSources(_ count: Int, _ ran: Tally) {
  let queue = DispatchQueue(label: "org.signalbox.facts.used")
  let done = DispatchSemaphore(value: 0)
  // Each source of a batch is the only one of its descriptor.
  let pipes = (0..<100).map { _ in makePipe() }
  for ends in pipes { put(1, into: ends.output) }
  inBatches(of: count) { numbers in
    for (_, ends) in zip(numbers, pipes) {
      let source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
      source.setEventHandler {
        source.cancel()
        ran.increment()
      }
      source.setCancelHandler { done.signal() }
      source.activate()
    }
    for _ in numbers { done.wait() }
  }
  queue.sync {}
  for ends in pipes {
    close(ends.input)
    close(ends.output)
  }
}

private func useUserDataSources(_ count: Int, _ ran: Tally) {
  let queue = DispatchQueue(label: "org.signalbox.facts.used")
  let done = DispatchSemaphore(value: 0)
  inBatches(of: count) { numbers in
    let sources = numbers.map { _ in
      let source = DispatchSource.makeUserDataAddSource(queue: queue)
      source.setEventHandler {
        ran.increment()
        done.signal()
      }
      source.activate()
      source.add(data: 1)
      return source
    }
    for _ in sources { done.wait() }
    for (number, source) in zip(numbers, sources) where number % 2 == 0 { source.cancel() }
  }
  queue.sync {}
}

/// Counts the captures that outlive a call of `cancel()` outside the handler while no handler
/// runs.
private func countCaptures() {
  let count = integerArgument(0, default: 1000)
  let queue = DispatchQueue(label: "org.signalbox.facts.captured")
  let alive = Tally(), ran = Tally()
  let ends = makePipe()
  var sources: [any DispatchSourceProtocol] = []
  for number in 0..<count {
    let captured = Tracked(alive)
    let source: any DispatchSourceProtocol
    switch number % 3 {
    case 0:
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + 3600)
      source = timer
    case 1: source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
    default: source = DispatchSource.makeUserDataAddSource(queue: queue)
    }
    source.setEventHandler { withExtendedLifetime(captured) { _ = ran.increment() } }
    source.activate()
    sources.append(source)
  }
  queue.sync {}
  awaitRest()
  report("captured", alive.count)
  var heldAfterCancel = 0
  for (number, source) in sources.enumerated() {
    source.cancel()
    if alive.count != count - number - 1 { heldAfterCancel += 1 }
  }
  report("heldAfterCancel", heldAfterCancel)
  report("alive", alive.count)
  report("ran", ran.count)
}
