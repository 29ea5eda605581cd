// ChannelScenarios — what is done with the toolchain's `DispatchIO`.

import Dispatch
import Glibc

private let queue = DispatchQueue(label: "org.example.channels")

private func withPipe(_ body: (_ input: Int32, _ output: Int32) -> Void) {
  var ends: [Int32] = [0, 0]
  expect(pipe(&ends) == 0)
  body(ends[0], ends[1])
}

/// A file of the process's own, without a name when `body` returns.
private func withFile(_ body: (_ path: String, _ descriptor: Int32) -> Void) {
  var name = Array("/tmp/dropin-XXXXXX".utf8CString)
  let descriptor = mkstemp(&name)
  expect(descriptor >= 0)
  body(String(decoding: name.dropLast().map(UInt8.init), as: UTF8.self), descriptor)
  close(descriptor)
  unlink(name)
}

/// What the handlers of one operation have received.
private final class Outcome: @unchecked Sendable {  // SAFETY: `calls` and `end` only on the queue.
  private var calls: [DispatchData?] = []
  private var end: Int32?
  private let ended = DispatchSemaphore(value: 0)
  /// Counts the outcomes that are freed.
  private let freed: Shared<Int>

  init(_ freed: Shared<Int> = Shared(0)) { self.freed = freed }
  deinit { freed.change { $0 += 1 } }

  func receive(_ done: Bool, _ data: DispatchData?, _ error: Int32) {
    dispatchPrecondition(condition: .onQueue(queue))
    expect(end == nil, "a call after the last one")
    calls.append(data)
    expect(done || error == 0)
    guard done else { return }
    end = error
    ended.signal()
  }

  /// Waits for the last call. The data is nil if no call had any.
  func wait() -> (data: DispatchData?, error: Int32, sizes: [Int]) {
    ended.wait()
    return queue.sync {
      var all: DispatchData?
      for case let data? in calls {
        if all == nil { all = data } else { all!.append(data) }
      }
      return (all, end!, calls.map { $0?.count ?? -1 })
    }
  }
}

private func channel(
  _ type: DispatchIO.StreamType, _ descriptor: Int32, _ cleanup: Outcome
) -> DispatchIO {
  DispatchIO(type: type, fileDescriptor: descriptor, queue: queue) { error in
    close(descriptor)
    cleanup.receive(true, nil, error)
  }
}

func onceReads() {
  withPipe { input, output in
    let (wrote, read, end) = (Outcome(), Outcome(), Outcome())
    DispatchIO.write(toFileDescriptor: output, data: text("hello"), runningHandlerOn: queue) {
      wrote.receive(true, $0, $1)
    }
    expect(wrote.wait() == (nil, 0))
    DispatchIO.read(fromFileDescriptor: input, maxLength: 100, runningHandlerOn: queue) {
      read.receive(true, $0, $1)
    }
    expect(words(read.wait().data) == "hello")
    close(output)
    DispatchIO.read(fromFileDescriptor: input, maxLength: .max, runningHandlerOn: queue) {
      end.receive(true, $0, $1)
    }
    expect(end.wait().data?.count == 0, "the end")
    // So high a number is not given to what another thread opens meanwhile.
    let closed = fcntl(input, F_DUPFD, 500)
    expect(closed >= 500)
    close(closed)
    close(input)
    let bad = Outcome()
    DispatchIO.read(fromFileDescriptor: closed, maxLength: 1, runningHandlerOn: queue) {
      bad.receive(true, $0, $1)
    }
    expect(bad.wait().error == EBADF)
  }
  withPipe { input, output in
    close(input)
    let unread = Outcome()
    DispatchIO.write(toFileDescriptor: output, data: text("unread"), runningHandlerOn: queue) {
      unread.receive(true, $0, $1)
    }
    let result = unread.wait()
    expect(words(result.data) == "unread" && result.error == EPIPE)
    close(output)
  }
}

private func == (
  a: (data: DispatchData?, error: Int32, sizes: [Int]), b: (String?, Int32)
) -> Bool {
  a.data.map { words($0) } == b.0 && a.error == b.1
}

/// More than a pipe holds, written and read at once.
func pipes() {
  withPipe { input, output in
    let (closed, shut, wrote, read) = (Outcome(), Outcome(), Outcome(), Outcome())
    let (writer, reader) = (channel(.stream, output, closed), channel(.stream, input, shut))
    expect(writer.fileDescriptor == output && reader.fileDescriptor == input)
    var data = DispatchData.empty
    let line = [UInt8](repeating: 65, count: 1000).withUnsafeBytes { DispatchData(bytes: $0) }
    for _ in 0..<1_000 { data.append(line) }
    reader.read(offset: 0, length: .max, queue: queue) { read.receive($0, $1, $2) }
    writer.write(offset: 0, data: data, queue: queue) { wrote.receive($0, $1, $2) }
    expect(wrote.wait().error == 0)
    writer.close()
    expect(closed.wait().error == 0)
    let result = read.wait()
    expect(result.data?.count == 1_000_000 && result.error == 0)
    expect(result.data!.allSatisfy { $0 == 65 })
    reader.close()
    expect(shut.wait().error == 0)
    expect(reader.fileDescriptor == -1)
  }
}

func channelBarriers() {
  withPipe { input, output in
    let closed = Outcome()
    let writer = channel(.stream, output, closed)
    let seen = Shared<[String]>([])
    for index in 0..<10 {
      writer.write(offset: 0, data: text("\(index)"), queue: queue) { done, _, _ in
        if done { seen.change { $0.append("write") } }
      }
    }
    writer.barrier { seen.change { $0.append("barrier \(writer.fileDescriptor == output)") } }
    let last = Outcome()
    writer.write(offset: 0, data: text("x"), queue: queue) { last.receive($0, $1, $2) }
    expect(last.wait().error == 0)
    expect(seen.value == Array(repeating: "write", count: 10) + ["barrier true"], "\(seen.value)")
    writer.close()
    _ = closed.wait()
    close(input)
  }
}

func randomFiles() {
  withFile { path, descriptor in
    let (closed, wrote) = (Outcome(), Outcome())
    let file = DispatchIO(
      type: .random, path: path, oflag: O_RDWR, mode: 0, queue: queue,
      cleanupHandler: { closed.receive(true, nil, $0) })!
    expect(file.fileDescriptor == -1, "not opened yet")
    file.write(offset: 0, data: text("0123456789"), queue: queue) { wrote.receive($0, $1, $2) }
    expect(wrote.wait() == (nil, 0))
    expect(file.fileDescriptor >= 0)
    for offset in 0..<10 {
      let read = Outcome()
      file.read(offset: off_t(offset), length: 3, queue: queue) { read.receive($0, $1, $2) }
      expect(read.wait() == (String("0123456789".dropFirst(offset).prefix(3)), 0))
    }
    let (end, second) = (Outcome(), Outcome())
    file.read(offset: 10, length: 1, queue: queue) { end.receive($0, $1, $2) }
    expect(end.wait() == ("", 0), "the end")
    let other = DispatchIO(
      type: .stream, io: file, queue: queue, cleanupHandler: { second.receive(true, nil, $0) })
    let whole = Outcome()
    other.read(offset: 7, length: .max, queue: queue) { whole.receive($0, $1, $2) }
    expect(whole.wait() == ("0123456789", 0))
    other.close()
    file.close()
    expect(closed.wait().error == 0 && second.wait().error == 0)
  }
  let (missing, unread) = (Outcome(), Outcome())
  let none = DispatchIO(
    type: .stream, path: "/none/such", oflag: O_RDONLY, mode: 0, queue: queue,
    cleanupHandler: { missing.receive(true, nil, $0) })!
  none.read(offset: 0, length: 1, queue: queue) { unread.receive($0, $1, $2) }
  expect(unread.wait().error == ENOENT && missing.wait().error == ENOENT)
}

func limits() {
  withFile { path, descriptor in
    expect(ftruncate(descriptor, 100_000) == 0)
    let (closed, high, low, whole) = (Outcome(), Outcome(), Outcome(), Outcome())
    let file = DispatchIO(type: .random, fileDescriptor: descriptor, queue: queue) {
      closed.receive(true, nil, $0)
    }
    file.setLimit(highWater: 10_000)
    file.read(offset: 0, length: .max, queue: queue) { high.receive($0, $1, $2) }
    let sizes = high.wait().sizes
    expect(sizes.max()! == 10_000 && sizes.reduce(0, +) == 100_000, "\(sizes)")
    file.setLimit(highWater: .max)
    file.setLimit(lowWater: 40_000)
    file.read(offset: 0, length: 100_000, queue: queue) { low.receive($0, $1, $2) }
    expect(low.wait().sizes.dropLast().allSatisfy { $0 >= 40_000 })
    file.setLimit(lowWater: .max)
    file.read(offset: 0, length: .max, queue: queue) { whole.receive($0, $1, $2) }
    expect(whole.wait().sizes.first == 100_000)
    file.close()
    expect(closed.wait().error == 0)
  }
}

/// At a strict interval handlers are called without bytes.
func intervals() {
  withPipe { input, output in
    let (shut, read, ticked) = (Outcome(), Outcome(), DispatchSemaphore(value: 0))
    let reader = channel(.stream, input, shut)
    reader.setInterval(interval: .never)
    reader.setInterval(interval: .milliseconds(1), flags: .strictInterval)
    reader.read(offset: 0, length: .max, queue: queue) {
      read.receive($0, $1, $2)
      if !$0 { ticked.signal() }
    }
    for _ in 0..<3 { ticked.wait() }
    close(output)
    expect(read.wait().error == 0)
    reader.close()
    expect(shut.wait().error == 0)
  }
}

func stoppedReads() {
  withPipe { input, output in
    let (shut, read, late) = (Outcome(), Outcome(), Outcome())
    let reader = channel(.stream, input, shut)
    reader.setLimit(lowWater: 1)
    let told = DispatchSemaphore(value: 0)
    reader.read(offset: 0, length: .max, queue: queue) {
      read.receive($0, $1, $2)
      if !$0 { told.signal() }
    }
    expect(write(output, "some", 4) == 4)
    told.wait()
    reader.close(flags: .stop)
    expect(read.wait() == ("some", ECANCELED))
    reader.read(offset: 0, length: 1, queue: queue) { late.receive($0, $1, $2) }
    expect(late.wait() == (nil, ECANCELED))
    expect(shut.wait().error == 0)
    close(output)
  }
}

/// A channel ends with its last reference, and whatever its handlers have captured is freed.
func endedChannels() {
  let freed = Shared(0)
  withPipe { input, output in
    let told = DispatchSemaphore(value: 0)
    do {
      let (wrote, read, barrier, shut) = (
        Outcome(freed), Outcome(freed), Outcome(freed), Outcome(freed)
      )
      DispatchIO.write(toFileDescriptor: output, data: text("abc"), runningHandlerOn: queue) {
        wrote.receive(true, $0, $1)
      }
      _ = wrote.wait()
      let reader = DispatchIO(type: .stream, fileDescriptor: input, queue: queue) { error in
        shut.receive(true, nil, error)
        told.signal()
      }
      reader.read(offset: 0, length: 3, queue: queue) { read.receive($0, $1, $2) }
      expect(read.wait() == ("abc", 0))
      reader.barrier { withExtendedLifetime(barrier) {} }
    }
    told.wait()
    close(input)
    close(output)
  }
  // The last captures go when the handlers have returned.
  while freed.value < 4 { usleep(1_000) }
}
