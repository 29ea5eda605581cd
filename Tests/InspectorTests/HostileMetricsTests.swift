// HostileMetricsTests — the metrics of memory that is damaged, or made to deceive, are still in the format.

@testable import SignalboxInspector
import SignalboxTestSupport
import Testing

@Suite struct HostileMetricsTests {
  private func text(of inspection: Inspection, name: String = "image") -> String {
    let report = TargetReport(
      process: 1, name: name, uptime: 1 << 40, kernelThreads: [], inspections: [inspection])
    var text = ExpositionText()
    report.add(to: &text)
    return text.text
  }

  @Test func anEngineThatDoesNotCountHasNoCounters() throws {
    let image = ProcessImage()
    image.queue("old", state: 0)
    let seen = try Exposition(text(of: #require(image.inspect())))
    #expect(!seen.samples.contains { $0.name == "signalbox_queue_items_total" })
    #expect(!seen.samples.contains { $0.name == "signalbox_items_total" })
    #expect(try seen.value("signalbox_queue_waiting_items", ["queue": "old"]) == 0)
  }

  @Test func queuesWithOneLabelAreApart() throws {
    let image = ProcessImage()
    image.queue("same", state: 0)
    image.queue("same", state: 3)
    let seen = try Exposition(text(of: #require(image.inspect())))
    #expect(seen.samples.filter { $0.name == "signalbox_queue_active_items" }.count == 2)
  }

  @Test func labelsCannotBreakTheFormat() throws {
    let image = ProcessImage()
    for label in ["\"} 7", "a\nb 1", "\\\"", "\u{1B}[2J", "\u{338}="] {
      image.queue(label, state: 0)
    }
    let seen = try Exposition(text(of: #require(image.inspect()), name: "\"a\\\nb\""))
    let labels = seen.samples.filter { $0.name == "signalbox_queue_suspended" }.map {
      $0.labels["queue"] ?? ""
    }
    #expect(Set(labels) == ["\"} 7", "a\\nb 1", "\\\\\"", "\\u{1B}[2J", "\u{338}="])
    #expect(seen.samples.allSatisfy { $0.labels["process"] == "\"a\\\nb\"" })
  }

  /// A list in a circle is read as several pools of one priority.
  @Test func poolsInACircleHaveOneSampleEach() throws {
    let image = ProcessImage()
    let pool = image.make(64)
    image.put(image.address(pool), at: image.pools)
    image.put(image.address(pool), at: pool)
    image.put(image.address(pool), at: pool + 24)
    let seen = try Exposition(text(of: #require(image.inspect())))
    #expect(seen.samples.filter { $0.name == "signalbox_pool_permits" }.count == 1)
  }

  @Test func numbersWithoutLimitsArePrinted() {
    #expect(ExpositionText.seconds(.max) == "18446744073.709551615")
    #expect(ExpositionText.seconds(5) == "0.000000005")
    #expect(ExpositionText.seconds(1_000_000_000) == "1.000000000")
  }

  @Test func randomDamageIsPrintedInTheFormat() throws {
    var random = SeededGenerator.announced()
    let original = ProcessImage()
    for index in 0..<8 { original.queue("queue \(index)", state: UInt64(index)) }
    for _ in 0..<200 {
      let image = ProcessImage(copying: original)
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        image.bytes[Int.random(in: 0x1000..<0x12000, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      guard let inspection = image.inspect() else { continue }
      _ = try Exposition(text(of: inspection))
    }
  }
}
