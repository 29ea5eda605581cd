// MetricsCommandTests — `signalbox metrics`: what it prints of processes, and how it serves it.

import CountedFacts
import Glibc
@testable import SignalboxInspector
import SignalboxTestSupport
import Testing

@Suite struct MetricsCommandTests {
  private func metrics(of processes: Int32...) throws -> Exposition {
    let outcome = try ChildProgram("signalbox").run(["metrics"] + processes.map { "\($0)" })
    #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
    return try Exposition(outcome.standardOutput)
  }

  @Test func eachQueueHasItsNumbers() throws {
    let program = try LiveProgram(WatchedScenario.watchedLabels)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let seen = try metrics(of: program.process)
      let labels = ["pid": "\(program.process)", "process": "CountedFacts"]
      for label in WatchedScenario.labels {
        // As in reports: what could control a terminal is an escape, and so is a backslash.
        let shown = DisplayText.make(Array(label.utf8), isCut: false)
        let queue = labels.merging(["queue": shown, "kind": "serial"]) { a, _ in a }
        #expect(try seen.value("signalbox_queue_items_total", queue) == 3)
        #expect(try seen.value("signalbox_queue_waiting_items", queue) == 2)
        #expect(try seen.value("signalbox_queue_suspended", queue) == 1)
      }
      let count = Double(WatchedScenario.labels.count)
      #expect(try seen.value("signalbox_items_total", labels) >= 3 * count)
      #expect(try seen.value("signalbox_queues", labels) >= count)
      #expect(try seen.value("signalbox_threads", labels) >= 1)
      #expect(try seen.value("signalbox_deadlocks", labels) == 0)
      let pool = ["pool": "default"]
      #expect(try seen.value("signalbox_pool_started_workers_total", pool) >= 1)
      let states = seen.samples.filter {
        $0.name == "signalbox_pool_workers" && $0.labels["pool"] == "default"
      }
      #expect(states.count == 5)
    }
  }

  @Test func aProcessUnderLoadIsSeenRightly() throws {
    let program = try LiveProgram(WatchedScenario.watchedLoad)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      var last: [String: Double] = [:]
      for _ in 0..<30 {
        let seen = try metrics(of: program.process)
        for sample in seen.samples where seen.types[sample.name] == "counter" {
          let name = "\(sample.name) \(sample.labels.sorted { $0.key < $1.key })"
          #expect(sample.value >= last[name] ?? 0, "\(name)")
          last[name] = sample.value
        }
      }
      program.send(SIGUSR1)
      let items = try #require(program.line(containing: "items="))
      let syncs = try #require(program.line(containing: "syncs="))
      let seen = try metrics(of: program.process)
      let own = ["load.0", "load.1", "load.2", "load.3"]
      // One more: the item that calls `sync`.
      let sum = try own.reduce(1) {
        try $0 + seen.value("signalbox_queue_items_total", ["queue": $1])
      }
      #expect("items=\(Int(sum))" == items)
      #expect(
        "syncs=\(Int(try seen.value("signalbox_queue_syncs_total", ["queue": "load.0"])))" == syncs)
      #expect(seen.sum("signalbox_queue_items_total") <= (try seen.value("signalbox_items_total")))
    }
  }

  @Test(arguments: [true, false]) func measuredTimesAreHistograms(_ areMeasured: Bool) throws {
    let program = try LiveProgram(
      MeasuredTimesScenario.timesToBeRead,
      environment: areMeasured ? ["SIGNALBOX_METRICS": "times"] : [:])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let seen = try metrics(of: program.process)
      guard areMeasured else {
        return #expect(!seen.types.values.contains("histogram"))
      }
      let facts = program.text.split(separator: "\n").map { $0.split(separator: "=") }
      let values = Dictionary(
        uniqueKeysWithValues: facts.map { (String($0[0]), Double($0[1]) ?? -1) })
      let length = try #require(values["length"]) / 1e9
      let queue = ["queue": "times.read", "kind": "serial"]
      let wait = "signalbox_queue_wait_duration_seconds"
      let run = "signalbox_queue_run_duration_seconds"
      #expect(seen.types[wait] == "histogram" && seen.types[run] == "histogram")
      let waits = try seen.buckets(wait, queue)
      #expect(waits.count == 14)
      #expect(try seen.value("\(wait)_count", queue) == values["waited"])
      #expect(try seen.value("\(wait)_sum", queue) == (values["waits"] ?? 0) / 1e9)
      // Nine items waited for that long: they are only in buckets from there on.
      let short = try #require(waits.last { $0.bound <= length })
      #expect(short.count + 9 <= (values["waited"] ?? 0))
      let runs = try seen.buckets(run, queue)
      #expect(runs.last?.count == values["ran"])
      #expect(try seen.value("signalbox_queue_waiting_items_max", queue) == 9)
      #expect(try seen.value("signalbox_queue_unmeasured_items_total", queue) == 0)
      let ended = ["queue": "times.gone", "id": "ended"]
      #expect(try seen.value("\(run)_count", ended) == 5)
      #expect(!seen.samples.contains { $0.labels["id"] == "others" })
    }
  }

  @Test func timersAndDescriptorsAreCounted() throws {
    let program = try LiveProgram(WatchedScenario.watchedTimers)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let seen = try metrics(of: program.process)
      #expect(try seen.value("signalbox_timers_armed") == 7)
      #expect(try seen.value("signalbox_watched_descriptors") == 3)
    }
  }

  @Test func severalProcessesShareOneText() throws {
    let programs = try (0..<3).map { _ in try LiveProgram(WatchedScenario.watchedLabels) }
    try withExtendedLifetime(programs) {
      for program in programs { try #require(program.waitForFact("ready")) }
      let seen = try Exposition(
        ChildProgram("signalbox").run(["metrics"] + programs.map { "\($0.process)" })
          .standardOutput)
      for program in programs {
        _ = try seen.value("signalbox_items_total", ["pid": "\(program.process)"])
      }
    }
  }

  @Test func whatCannotBeReadIsNamedAndTheRestPrinted() throws {
    let program = try LiveProgram(WatchedScenario.watchedLabels)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let outcome = try ChildProgram("signalbox").run([
        "metrics", "\(Int32.max)", "\(program.process)",
      ])
      #expect(outcome.exit == .code(1))
      #expect(outcome.standardError.contains("there is no process \(Int32.max)"))
      _ = try Exposition(outcome.standardOutput).value("signalbox_items_total")
    }
  }

  @Test func wrongArgumentsShowTheUsage() throws {
    let misuses: [[String]] = [
      ["metrics"], ["metrics", "abc"], ["metrics", "0"], ["metrics", "--quick", "1"],
      ["metrics", "1", "--listen"], ["metrics", "1", "--listen", "localhost:1"],
      ["metrics", "1", "--listen", "127.0.0.1:70000"], ["metrics", "1", "--listen", "127.0.0.1:"],
      ["metrics", "--listen", "127.0.0.1:0"],
    ]
    for words in misuses {
      let outcome = try ChildProgram("signalbox").run(words)
      #expect(outcome.exit == .code(2), "\(words)")
      #expect(outcome.standardError.contains("usage: ") && outcome.standardOutput.isEmpty)
    }
  }

  // MARK: Serving

  private func server(of programs: [LiveProgram]) throws -> (LiveProgram, UInt16) {
    let server = try LiveProgram(
      ChildProgram("signalbox"),
      ["metrics", "--listen", "127.0.0.1:0"] + programs.map { "\($0.process)" })
    let line = try #require(server.line(containing: "serving http://127.0.0.1:"))
    let digits = line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
    return (server, try #require(UInt16(digits)))
  }

  /// Connects, and sends bytes. Returns the socket.
  private func open(_ text: String, at port: UInt16) throws -> Int32 {
    // A program that another test starts now would otherwise keep the connection open.
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let error = withUnsafeBytes(of: address) { bytes in
      // SAFETY: a `sockaddr_in` begins with the fields of a `sockaddr`.
      connect(client, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), 16)
    }
    try #require(error == 0)
    // A server that says nothing makes a test fail.
    let limit = RealTime.wedge.wholeNanoseconds
    var time = timeval(tv_sec: Int(limit / 1_000_000_000), tv_usec: 0)
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    return client
  }

  /// Sends bytes and returns all that comes back.
  private func exchange(_ text: String, at port: UInt16) throws -> String {
    let client = try open(text, at: port)
    defer { close(client) }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(client, &piece, piece.count, 0)
      if count <= 0 { return String(decoding: answer, as: UTF8.self) }
      answer += piece[..<count]
    }
  }

  private func get(_ path: String, at port: UInt16) throws -> String {
    try exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", at: port)
  }

  private func body(_ answer: String) -> String {
    let bytes = Array(answer.utf8)
    let end = HTTPRequestHead.end(in: bytes) ?? bytes.count
    return String(decoding: bytes[end...], as: UTF8.self)
  }

  @Test func theMetricsAreServed() throws {
    let program = try LiveProgram(WatchedScenario.watchedLabels)
    try #require(program.waitForFact("ready"))
    let (server, port) = try server(of: [program])
    try withExtendedLifetime((program, server)) {
      for target in ["/metrics", "/metrics?x=1", "http://localhost:\(port)/metrics"] {
        let answer = try get(target, at: port)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
        #expect(answer.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        #expect(answer.contains("\r\nContent-Length: \(body(answer).utf8.count)\r\n"))
      }
      // A process that is not read in time is left out.
      let deadline = Uptime.now() + RealTime.wedge
      var shown = try get("/metrics", at: port)
      while !shown.contains("signalbox_items_total"), Uptime.now() < deadline {
        shown = try get("/metrics", at: port)
      }
      #expect(try Exposition(body(shown)).value("signalbox_items_total") >= 24)
      let head = try exchange("HEAD /metrics HTTP/1.0\r\n\r\n", at: port)
      #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && body(head).isEmpty)
    }
  }

  @Test func badRequestsAreRefused() throws {
    let program = try LiveProgram(WatchedScenario.watchedLabels)
    try #require(program.waitForFact("ready"))
    let (server, port) = try server(of: [program])
    try withExtendedLifetime((program, server)) {
      let refused: [(String, String)] = [
        ("GET /other HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found"),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 Not Found"),
        ("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\nx", "405 Method Not Allowed"),
        ("GET /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400 Bad Request"),
        ("GET /metrics\r\n\r\n", "400 Bad Request"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nno colon\r\n\r\n", "400 Bad Request"),
        ("G\u{0}T /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request"),
        ("\r\n\r\n", "400 Bad Request"),
        (String(repeating: "x", count: 20_000), "400 Bad Request"),
        (
          "GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "y", count: 20_000)
            + "\r\n\r\n", "400 Bad Request"
        ),
      ]
      for (request, status) in refused {
        let answer = try exchange(request, at: port)
        #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(request.prefix(60)): \(answer)")
        #expect((answer.contains("\r\nAllow: GET, HEAD\r\n")) == status.hasPrefix("405"))
      }
      #expect(try get("/metrics", at: port).hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  /// More clients than are served at a time, none of which says anything.
  @Test func silentClientsKeepNobodyWaitingForLong() throws {
    let program = try LiveProgram(WatchedScenario.watchedLabels)
    try #require(program.waitForFact("ready"))
    let (server, port) = try server(of: [program])
    try withExtendedLifetime((program, server)) {
      let silent = try (0..<20).map { _ in try open("GET /metrics", at: port) }
      defer { for client in silent { close(client) } }
      #expect(try get("/metrics", at: port).hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test func aProcessThatEndsIsLeftOut() throws {
    let programs = [
      try LiveProgram(WatchedScenario.watchedEnd), try LiveProgram(WatchedScenario.watchedLabels),
    ]
    for program in programs { try #require(program.waitForFact("ready")) }
    let (server, port) = try server(of: programs)
    try withExtendedLifetime((programs, server)) {
      func seen() throws -> Set<String> {
        let samples = try Exposition(body(get("/metrics", at: port))).samples
        return Set(samples.compactMap { $0.labels["pid"] })
      }
      let pids = programs.map { "\($0.process)" }
      func expect(_ pids: [String]) throws {
        let deadline = Uptime.now() + RealTime.wedge
        while try seen() != Set(pids) { try #require(Uptime.now() < deadline) }
      }
      try expect(pids)
      programs[0].send(SIGUSR1)
      try expect([pids[1]])
    }
  }
}
