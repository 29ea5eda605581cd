// StockTests — programs that import the toolchain's Dispatch run on ours, because they are linked
// with one product.

import Foundation
import OnlyDispatch
import OnlyFoundation
import OnlyTasks
import StockScenarios
import Testing

@Suite struct StockTests {
  private func expectDone(_ program: String, _ arguments: [String] = []) throws {
    let run = try Program(name: program).run(arguments)
    #expect(run.output == "done\n" && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test(arguments: StockScenario.allCases)
  func theToolchainsInterfaceWorks(_ scenario: StockScenario) throws {
    try expectDone("StockProgram", [scenario.rawValue])
  }

  @Test(arguments: StockMisuse.allCases)
  func aSyncThatWouldWaitForItselfEndsTheProgram(_ misuse: StockMisuse) throws {
    let run = try Program(name: "StockProgram").run([misuse.rawValue])
    #expect(run.isCrash, "\(run)")
    #expect(
      run.errors.hasPrefix(
        "BUG IN CLIENT OF SIGNALBOX: sync on the queue \"org.example.self\" from work that runs "
          + "on it"), "\(run)")
  }

  @Test func theProgramOfTheReadmePrintsWhatItSays() throws {
    let run = try Program(name: "HelloProgram").run()
    #expect(
      run.output == "1\n4\n9\n16\n25\ndone\n" && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test func anAsynchronousMainEnds() throws { try expectDone("AsyncStockProgram") }

  @Test func foundationsMainRunLoopServesTheMainQueue() throws {
    try expectDone("LoopStockProgram")
  }

  @Test func foundationsFileHandlesReadInTheBackground() throws {
    try expectDone("LoopStockProgram", ["handles"])
  }

  @Test func foundationsProcessesRun() throws {
    try expectDone("LoopStockProgram", ["processes"])
  }

  @Test func everyThreadIsOurs() throws {
    let run = try Program(name: "StockProgram").run()
    #expect(run.status == 0 && run.errors == "", "\(run)")
    let names = run.output.split(separator: "\n")
    #expect(!names.isEmpty)
    for name in names { #expect(name.hasPrefix("thread=sb-"), "\(run.output)") }
  }

  @Test func aRecordingHasTheItemsOfEveryPackage() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: url) }
    let run = try Program(name: "StockProgram").run([], ["SIGNALBOX_TRACE": url.path])
    #expect(run.status == 0 && run.errors == "", "\(run)")
    let story = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let strings = try #require(story["strings"] as? [String])
    let queues = try #require(story["queues"] as? [[String: Any]])
    let labels = queues.map { ($0["label"] as? Int).map { strings[$0] } ?? "" }
    let items = try #require(story["items"] as? [String: Any])
    let places = try #require(items["queue"] as? [Int])
    func count(_ isMeant: (String) -> Bool) -> Int {
      places.count { labels.indices.contains($0) && isMeant(labels[$0]) }
    }
    #expect(count { $0 == OnlyDispatch.label } >= 100)
    #expect(count { $0.contains(OnlyFoundation.name) || $0.contains("NSOperationQueue") } >= 1)
    #expect(count { $0 == OnlyTasks.label } >= 100, "\(labels)")
    #expect(count { $0 == "com.apple.main-thread" } >= 1)
  }

  @Test func theNamedPlacesAreFunctionsOfTheProgram() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: url) }
    let variables = ["SIGNALBOX_TRACE": url.path, "SIGNALBOX_ADVICE": "1"]
    let run = try Program(name: "StockProgram").run([], variables)
    #expect(run.status == 0, "\(run)")
    let story = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    let strings = try #require(story["strings"] as? [String])
    #expect(
      strings.contains("static OnlyDispatch.OnlyDispatch.runItems(Swift.Int) -> Swift.Int"),
      "\(strings)")
    for text in strings {
      let isOurs = text.contains("SignalboxDropIn") || text.hasPrefix("dispatch_")
      #expect(!isOurs && !text.hasPrefix("Dispatch."), "\(text)")
    }
  }
}
