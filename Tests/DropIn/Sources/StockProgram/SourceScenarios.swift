// SourceScenarios — sources through the toolchain's Dispatch.

import Dispatch
import Glibc

func timerSources() {
  let queue = DispatchQueue(label: "org.example.timers")
  let told = DispatchSemaphore(value: 0)
  let begin = DispatchTime.now()
  let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
  let count = Shared(UInt(0))
  timer.setEventHandler {
    let due = count.change {
      $0 += timer.data; return $0
    }
    if due >= 5 {
      timer.cancel()
      told.signal()
    }
  }
  timer.schedule(
    deadline: .now() + .milliseconds(5), repeating: .milliseconds(2), leeway: .microseconds(10))
  timer.activate()
  told.wait()
  expect(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds >= 13_000_000)
  expect(timer.isCancelled)
  let fired = queue.sync { count.value }
  usleep(5_000)
  expect(queue.sync { count.value } == fired, "a cancelled timer does not fire")

  for index in 0..<5 {
    // Of its own: a timer that repeats may signal once more before it is cancelled.
    let told = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler {
      expect(timer.data > 0)
      told.signal()
    }
    switch index {
    case 0: timer.schedule(deadline: .now())
    case 1: timer.schedule(wallDeadline: .now() + .milliseconds(1))
    case 2: timer.schedule(wallDeadline: .now(), repeating: 0.001)
    case 3: timer.schedule(deadline: .now(), repeating: .seconds(0))
    default: timer.schedule(deadline: .now() + .milliseconds(1), leeway: .never)
    }
    timer.resume()
    told.wait()
    timer.cancel()
  }
  let never = DispatchSource.makeTimerSource()
  never.setEventHandler { expect(false, "never") }
  never.schedule(deadline: .distantFuture, repeating: .milliseconds(1))
  never.activate()
  never.cancel()
}

func dataSources() {
  let queue = DispatchQueue(label: "org.example.data")
  let told = DispatchSemaphore(value: 0)
  let (add, or, replace) = (
    DispatchSource.makeUserDataAddSource(queue: queue),
    DispatchSource.makeUserDataOrSource(queue: queue),
    DispatchSource.makeUserDataReplaceSource(queue: queue)
  )
  let sum = Shared(UInt(0))
  add.setEventHandler {
    let all = sum.change {
      $0 += add.data; return $0
    }
    if all == 1_000 { told.signal() }
  }
  or.setEventHandler {
    expect(or.data == 7)
    told.signal()
  }
  replace.setEventHandler {
    expect(replace.data == 3)
    told.signal()
  }
  add.resume()
  or.resume()
  replace.resume()
  // SAFETY: any thread may add to a source.
  nonisolated(unsafe) let adding = add
  DispatchQueue.concurrentPerform(iterations: 1_000) { _ in adding.add(data: 1) }
  told.wait()
  or.suspend()
  replace.suspend()
  for value: UInt in [1, 2, 4] { or.or(data: value) }
  for value: UInt in [1, 2, 3] { replace.replace(data: value) }
  or.resume()
  told.wait()
  replace.resume()
  told.wait()
  expect(add.handle == 0 && add.mask == 0)
}

func descriptorSources() {
  var ends: [Int32] = [0, 0]
  expect(pipe(&ends) == 0)
  for end in ends { expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
  let (output, input) = (ends[0], ends[1])
  let queue = DispatchQueue(label: "org.example.pipe")
  let told = DispatchSemaphore(value: 0)
  let reader = DispatchSource.makeReadSource(fileDescriptor: output, queue: queue)
  let writer = DispatchSource.makeWriteSource(fileDescriptor: input, queue: queue)
  let (read, written) = (Shared(0), Shared(0))
  let total = 1 << 20
  writer.setEventHandler {
    let bytes = [UInt8](repeating: 1, count: min(Int(writer.data), total - written.value))
    let count = Glibc.write(input, bytes, bytes.count)
    if written.change({
      $0 += max(count, 0); return $0
    }) == total {
      writer.cancel()
    }
  }
  writer.setCancelHandler { close(input) }
  reader.setRegistrationHandler { told.signal() }
  reader.setEventHandler {
    var bytes = [UInt8](repeating: 0, count: max(Int(reader.data), 1))
    let count = Glibc.read(output, &bytes, bytes.count)
    if count == 0 { return reader.cancel() }
    read.change { $0 += max(count, 0) }
  }
  reader.setCancelHandler(
    handler: DispatchWorkItem {
      close(output)
      told.signal()
    })
  expect(reader.handle == UInt(output))
  reader.activate()
  told.wait()
  writer.activate()
  told.wait()
  expect(read.value == total, "\(read.value) bytes came")
}

func signalSources() {
  // Whoever started this program may have left signals blocked in all of its threads.
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGUSR2)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  signal(SIGUSR2, SIG_IGN)
  let told = DispatchSemaphore(value: 0)
  let source = DispatchSource.makeSignalSource(signal: SIGUSR2, queue: .main)
  source.setEventHandler(qos: .userInitiated, flags: []) {
    expect(source.data >= 1)
    told.signal()
  }
  source.activate()
  for _ in 0..<10 {
    kill(getpid(), SIGUSR2)
    told.wait()
  }
  source.cancel()
}

/// What a handler captures: counts when it is freed.
final class Owner: Sendable {
  let freed: Shared<Int>
  init(_ freed: Shared<Int>) { self.freed = freed }
  deinit { freed.change { $0 += 1 } }
  func use() {}

  static func await(_ freed: Shared<Int>, _ count: Int) {
    let end = DispatchTime.now() + .seconds(60)
    while freed.value < count && DispatchTime.now() < end { usleep(1_000) }
    expect(freed.value == count, "\(freed.value) of \(count) are freed")
  }
}

/// What handlers have captured is freed once, whatever becomes of the source.
func sourceLifetimes() {
  let freed = Shared(0)
  let queue = DispatchQueue(label: "org.example.lifetimes")
  let told = DispatchSemaphore(value: 0)
  func timer(_ body: (any DispatchSourceTimer) -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let (event, cancel, registration) = (Owner(freed), Owner(freed), Owner(freed))
    timer.setEventHandler { event.use() }
    timer.setCancelHandler {
      cancel.use()
      told.signal()
    }
    timer.setRegistrationHandler { registration.use() }
    body(timer)
  }
  func awaitFreed(_ count: Int) { Owner.await(freed, count) }
  // Cancelled; cancelled before it is activated; released; fired and cancelled.
  timer {
    $0.activate()
    $0.cancel()
    told.wait()
  }
  awaitFreed(3)
  timer {
    $0.cancel()
    $0.activate()
    told.wait()
  }
  awaitFreed(6)
  timer { $0.activate() }
  awaitFreed(9)
  timer { timer in
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.activate()
    usleep(3_000)
    timer.suspend()
    timer.resume()
    timer.cancel()
    told.wait()
  }
  awaitFreed(12)
  // A cycle between the source and its handler ends with the source.
  for _ in 0..<100 {
    let owner = Owner(freed)
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler {
      owner.use()
      source.cancel()
    }
    source.activate()
    source.add(data: 1)
  }
  awaitFreed(112)
}
