// FoundationScenarios — what of Foundation waits on sources, and tasks that sleep.

import Dispatch
import Glibc
import OnlyFoundation
import OnlyTasks

func foundationWaits() throws {
  let pieces = (0..<100).map { "\($0)," }
  expect(OnlyFoundation.readThroughPipe(pieces) == pieces.joined())
  for _ in 0..<5 {
    let (output, status) = try OnlyFoundation.output(of: "/bin/sh", ["-c", "echo said; exit 3"])
    expect(output == "said\n" && status == 3)
  }
  expect(OnlyFoundation.fireTimer(10) == 10)
}

/// A server for one request, on a thread of its own.
func urlSessions() {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      expect(bind(listener, $0, size) == 0 && listen(listener, 1) == 0)
      expect(getsockname(listener, $0, &size) == 0)
    }
  }
  let serving = DispatchQueue(label: "org.example.server")
  serving.async {
    let client = accept(listener, nil, nil)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    expect(read(client, &bytes, bytes.count) > 0)
    let body = String(repeating: "body ", count: 10_000)
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
    var rest = Array((head + body).utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
      expect(written > 0)
      rest = rest.dropFirst(written)
    }
    close(client)
  }
  let body = OnlyFoundation.load(port: UInt16(bigEndian: address.sin_port))
  expect(body?.utf8.count == 50_000, body.map { String($0.prefix(200)) } ?? "nothing")
  serving.sync { _ = close(listener) }
}

/// A sleep with a tolerance is a timer of the runtime.
func sleeps() async {
  for _ in 0..<20 {
    let begin = ContinuousClock.now
    try? await Task.sleep(for: .milliseconds(3), tolerance: .milliseconds(2))
    expect(ContinuousClock.now - begin >= .milliseconds(3), "a sleep is never short")
  }
  let begin = SuspendingClock.now
  try? await Task.sleep(
    until: begin.advanced(by: .milliseconds(3)), tolerance: .zero, clock: .suspending)
  expect(SuspendingClock.now - begin >= .milliseconds(3))
  // Many at a time, and some that are cancelled.
  await withTaskGroup(of: Void.self) { group in
    for index in 0..<200 {
      group.addTask {
        let time = Duration.milliseconds(index % 10)
        try? await Task.sleep(for: time, tolerance: .milliseconds(1))
      }
    }
    for _ in 0..<20 {
      let task = Task { try await Task.sleep(for: .seconds(3_600), tolerance: .seconds(1)) }
      task.cancel()
      expect(await task.result.isFailure)
    }
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}
