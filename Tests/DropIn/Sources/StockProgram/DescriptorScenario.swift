// DescriptorScenario — what the toolchain's library does wrong with descriptors, through its own
// interface: the defects D18, D19 and D20 of Documentation/KnownDefects.md.

import Dispatch
import Foundation
import Glibc

/// Runs once, and again for as many seconds as the program's second argument says.
func descriptorDefects() {
  let seconds = CommandLine.arguments.dropFirst(2).first.flatMap(Double.init) ?? 0
  let end = DispatchTime.now() + seconds
  repeat {
    handlersOfManyThreads()
    cancellationsAtTheEnd()
    passingSources()
    for kind in Ends.Kind.allCases { hangUp(of: kind) }
  } while DispatchTime.now() < end
}

/// A pipe, or two sockets that are connected.
private struct Ends {
  enum Kind: CaseIterable { case readPipe, writePipe, sockets }

  let input: Int32
  let output: Int32

  init(_ kind: Kind = .readPipe) {
    var ends: [Int32] = [0, 0]
    let made =
      kind == .sockets
      ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
    expect(made == 0, "errno \(errno)")
    (input, output) = (ends[0], ends[1])
    expect(fcntl(input, F_SETFL, O_NONBLOCK) == 0)
  }

  func put(_ byte: UInt8 = 1) {
    var byte = byte
    expect(write(output, &byte, 1) == 1, "errno \(errno)")
  }

  func take(atMost count: Int) -> ArraySlice<UInt8> {
    var bytes = [UInt8](repeating: 0, count: count)
    let size = read(input, &bytes, count)
    return bytes.prefix(max(size, 0))
  }
}

/// D18: several threads set and tear down handlers. Numbers of descriptors are used again at once.
private func handlersOfManyThreads() {
  let freed = Shared(0)
  let ended = DispatchSemaphore(value: 0)
  let (threads, rounds) = (4, 50)
  onThreads(threads) { thread in
    for round in 0..<rounds {
      let ends = Ends()
      let tag = UInt8(truncatingIfNeeded: thread * rounds + round)
      let came = DispatchSemaphore(value: 0)
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: DispatchQueue(label: "org.example.torn-down"))
      for _ in 0..<3 {
        let owner = Owner(freed)
        source.setEventHandler {
          owner.use()
          for byte in ends.take(atMost: 8) {
            expect(byte == tag, "a byte of another descriptor")
            came.signal()
          }
        }
        source.activate()
        ends.put(tag)
      }
      source.setCancelHandler {
        close(ends.input)
        ended.signal()
      }
      if round % 2 == 0 { for _ in 0..<3 { came.wait() } }
      source.cancel()
      close(ends.output)
    }
  }
  for _ in 0..<threads * rounds { ended.wait() }
  Owner.await(freed, 3 * threads * rounds)
}

/// D18: a source is cancelled while its end is reported.
private func cancellationsAtTheEnd() {
  let freed = Shared(0)
  let ended = DispatchSemaphore(value: 0)
  let (threads, rounds) = (4, 50)
  onThreads(threads) { _ in
    for _ in 0..<rounds {
      let ends = Ends()
      let told = DispatchSemaphore(value: 0)
      let owner = Owner(freed)
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: DispatchQueue(label: "org.example.hung-up"))
      source.setEventHandler {
        owner.use()
        told.signal()
      }
      source.setCancelHandler {
        close(ends.input)
        ended.signal()
      }
      source.activate()
      close(ends.output)
      told.wait()
      source.cancel()
    }
  }
  for _ in 0..<threads * rounds { ended.wait() }
  Owner.await(freed, threads * rounds)
}

/// D19: a source stays while others of the same descriptor come and go.
private func passingSources() {
  let ends = Ends(.sockets)
  let (came, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let staying = DispatchSource.makeReadSource(
    fileDescriptor: ends.input, queue: DispatchQueue(label: "org.example.staying"))
  staying.setEventHandler { for _ in ends.take(atMost: 1) { came.signal() } }
  staying.setCancelHandler { gone.signal() }
  staying.activate()
  for round in 0..<200 {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: ends.input, queue: DispatchQueue(label: "org.example.passing"))
    source.setEventHandler {}
    source.setCancelHandler { gone.signal() }
    source.activate()
    ends.put()
    if round % 2 == 0 { came.wait() }
    source.cancel()
    gone.wait()
    ends.put()
    came.wait()
    if round % 2 == 1 { came.wait() }
  }
  staying.cancel()
  gone.wait()
  close(ends.input)
  close(ends.output)
}

/// D20: a hang-up is reported once, however often the library looks afterwards.
private func hangUp(of kind: Ends.Kind) {
  signal(SIGPIPE, SIG_IGN)
  let ends = Ends(kind)
  let queue = DispatchQueue(label: "org.example.hang-up")
  let (told, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let calls = Shared(0)
  let source: any DispatchSourceProtocol
  if kind == .writePipe {
    // Full, so that the end is the only event.
    let bytes = [UInt8](repeating: 0, count: 1 << 16)
    expect(fcntl(ends.output, F_SETFL, O_NONBLOCK) == 0)
    while write(ends.output, bytes, bytes.count) > 0 {}
    source = DispatchSource.makeWriteSource(fileDescriptor: ends.output, queue: queue)
  } else {
    source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
  }
  source.setEventHandler {
    calls.change { $0 += 1 }
    told.signal()
  }
  source.setCancelHandler { gone.signal() }
  source.activate()
  close(kind == .writePipe ? ends.input : ends.output)
  told.wait()
  for _ in 0..<20 {
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) { told.signal() }
    told.wait()
  }
  source.cancel()
  gone.wait()
  expect(calls.value == 1, "\(calls.value) calls of a handler after a hang-up")
  close(kind == .writePipe ? ends.output : ends.input)
}
