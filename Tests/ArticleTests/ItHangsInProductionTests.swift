// ItHangsInProductionTests — the article's program hangs, and each command says what the article shows.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Testing

// block: ItHangsInProduction/ps
private let list = """
   PID  NAME            THREADS  WAITING  DEADLOCKS
  4711  ArticleProgram        3        1          0
  """
// end

// block: ItHangsInProduction/report
private let reported = """
  thread 1 (kernel 4712, "sb-default-1"), on the queue "com.example.orders", waits for a signal of the semaphore at 0x7f51b4000b70 (for 21 s), which any thread may give
      at closure #1 @Sendable () -> () in ArticleProgram.sell(Swift.Int) -> () in ArticleProgram (Tests/ArticleProgram/Shop.swift:22)
  the queue "com.example.orders" (serial) holds 3 items; thread 1 (kernel 4712, "sb-default-1") serves it
  """
// end

// block: ItHangsInProduction/core
private let dumped = """
  core of process 4711 (ArticleProgram)
  thread 1 (kernel 4712), on the queue "com.example.orders", waits for a signal of the semaphore at 0x7f51b4000b70, which any thread may give
      at syscall in libc.so.6
      at closure #1 @Sendable () -> () in ArticleProgram.sell(Swift.Int) -> () in ArticleProgram (Tests/ArticleProgram/Shop.swift:22)
  the queue "com.example.orders" (serial) holds 3 items; thread 1 (kernel 4712) serves it
  """
// end

// block: ItHangsInProduction/top
private let live = """
  4711 ArticleProgram: 0/s, 3 items wait, 3 threads, 1 wait; deepest "com.example.orders" 3
  """
// end

// block: ItHangsInProduction/metrics
private let counted = """
  signalbox_queue_items_total{pid="4711",process="ArticleProgram",queue="com.example.orders",kind="serial",id="0x55a3cef7bab0"} 1
  signalbox_queue_waiting_items{pid="4711",process="ArticleProgram",queue="com.example.orders",kind="serial",id="0x55a3cef7bab0"} 3
  """
// end

// block: ItHangsInProduction/stall
private let stalled = """
  signalbox: process 4711 makes no progress: no item of the queue "com.example.orders" has begun for 10000 ms
  """
// end

@Suite("It hangs in production") struct ItHangsInProductionTests {
  /// A text in which numbers, addresses and lengths of time do not differ from run to run.
  private func shape(_ line: some StringProtocol) -> String {
    var shape = ""
    for word in line.split(separator: " ") {
      let isAddress = word.contains("0x")
      var text = isAddress ? String(word.prefix { $0 != "x" }) : String(word)
      text = String(text.map { $0.isNumber ? "N" : $0 })
      while text.contains("NN") { text.replace("NN", with: "N") }
      // "(for 21 s)": the unit is another one later.
      if ["ms)", "s)", "min)", "s),", "ms),", "min),", "ns),", "µs),"].contains(text) {
        text = "unit"
      }
      shape += " " + text
    }
    return shape
  }

  /// Whether each line of the article is among the lines that a command has printed.
  private func said(_ output: String, _ quoted: String) -> Bool {
    let heard = Set(output.split(separator: "\n").map { shape($0) })
    return quoted.split(separator: "\n").allSatisfy { heard.contains(shape($0)) }
  }

  private func expect(_ quoted: String, _ words: [String]) throws {
    let deadline = Uptime.now() + RealTime.wedge
    var output = ""
    repeat {
      output = try ChildProgram("signalbox").run(words).standardOutput
    } while !said(output, quoted)
      && Uptime.now() < deadline
    #expect(said(output, quoted), "\(output)")
  }

  @Test func theCommandsSayWhatTheArticleShows() throws {
    let program = try LiveProgram(ChildProgram("ArticleProgram"), ["shop"])
    try withExtendedLifetime(program) {
      try #require(program.line(containing: "open") != nil)
      let process = "\(program.process)"
      try expect(reported, ["report", process])
      try expect(counted, ["metrics", process])
      // The number of threads depends on idle workers.
      let lines = try ChildProgram("signalbox").run(["ps"]).standardOutput.split(separator: "\n")
      let quoted = list.split(separator: "\n")
      let own = try #require(lines.first { $0.split(separator: " ").first == process[...] })
      #expect(shape(lines[0]) == shape(quoted[0]))
      #expect(shape(own) == shape(quoted[1]))

      let top = try LiveProgram(ChildProgram("signalbox"), ["top", process])
      try withExtendedLifetime(top) {
        let line = try #require(top.line(containing: "deepest"))
        #expect(shape(line) == shape(live), "\(line)")
      }
      let folder = try TemporaryFolder()
      let gcore = try ChildProgram(path: "/usr/bin/gcore").run([
        "-o", "\(folder.path)/core", process,
      ])
      try #require(gcore.exit == .code(0), "\(gcore)")
      try expect(dumped, ["report", "--core", "\(folder.path)/core.\(process)"])
    }
  }

  @Test func aStallIsReportedAsTheArticleShows() throws {
    let tool = try ChildProgram("signalbox").path, shop = try ChildProgram("ArticleProgram").path
    let words = ["-c", "exec \"$0\" run --report-on-stall 100ms \"$1\" shop 2>&1", tool, shop]
    let program = try LiveProgram(ChildProgram(path: "/bin/sh"), words)
    try withExtendedLifetime(program) {
      defer {
        program.send(SIGTERM)
        var information = siginfo_t()
        _ = waitid(P_PID, id_t(program.process), &information, WEXITED | WNOWAIT)
      }
      // If the thread that serves the bank comes late, the bank's queue stalls for a while too.
      let orders = "no item of the queue \"com.example.orders\" has begun"
      let line = try #require(program.line(containing: orders), "\(program.text)")
      let bank = "no item of the queue \"com.example.bank\" has begun for 100 ms; "
      #expect(shape(line.replacing(bank, with: "")) == shape(stalled), "\(line)")
    }
  }

  // MARK: Metrics

  @Test func theNumbersReachALibrary() {
    // block: ItHangsInProduction/library
    /// What the program's metrics library offers.
    protocol Meters {
      func count(_ name: String, _ total: UInt64, _ labels: [(String, String)])
      func gauge(_ name: String, _ value: Int, _ labels: [(String, String)])
    }

    func send(to meters: some Meters) {
      let now = SignalboxMetrics.snapshot()
      for queue in now.queues {
        let labels = [("signalbox.queue.label", queue.label)]
        meters.count("signalbox.queue.items", queue.counts.items, labels)
        if let waiting = queue.waiting { meters.gauge("signalbox.queue.waiting", waiting, labels) }
      }
    }
    // end

    final class Kept: Meters {
      var totals: [String: UInt64] = [:]
      var values: [String: Int] = [:]
      func count(_ name: String, _ total: UInt64, _ labels: [(String, String)]) {
        totals["\(name) \(labels[0].1)"] = total
      }
      func gauge(_ name: String, _ value: Int, _ labels: [(String, String)]) {
        values["\(name) \(labels[0].1)"] = value
      }
    }
    let queue = DispatchQueue(label: "com.example.library")
    let group = DispatchGroup()
    for _ in 0..<3 { queue.async(group: group) {} }
    group.wait()
    queue.suspend()
    queue.async {}
    let kept = Kept()
    send(to: kept)
    queue.resume()
    #expect(kept.totals["signalbox.queue.items com.example.library"] == 3)
    #expect(kept.values["signalbox.queue.waiting com.example.library"] == 1)
  }
}
