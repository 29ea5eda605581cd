// MeasuredTimesTests — how long items waited and ran, measured in a process of its own, because a
// measurement applies to the whole process.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite struct MeasuredTimesTests {
  @Test func timesAreThoseOfTheProgram() throws {
    let facts = try Facts(of: MeasuredTimesScenario.timesOfAQueue)
    #expect(try facts.integer("before") == 0)
    // Neither the item that was running is measured, nor the wait of the one behind it.
    #expect(try facts.integer("middle.ran") == 2)
    #expect(try facts.integer("middle.mostWaiting") == 0)
    let length = try facts.integer("length")
    let ran = try facts.integer("on.ran") - facts.integer("middle.ran")
    let waited = try facts.integer("on.waited") - facts.integer("middle.waited")
    // Ten items, and the `sync` behind them, which waited if the last item had not left the queue.
    #expect(ran == 11 && (10...11).contains(waited))
    #expect(try facts.integer("on.mostWaiting") == 9)
    #expect(try facts.integer("on.unmeasured") == 0)
    #expect(try facts.integer("on.waits") >= 9 * length)
    #expect(try facts.integer("on.longestWait") >= length)
    #expect(try facts.integer("on.longestRun") >= length)
    #expect(try facts.integer("on.medianWait") >= length * 98 / 100)
    let longest = try facts.integer("on.longestRun")
    let quantile = try facts.integer("on.allRuns")
    #expect(abs(quantile - longest) * 100 <= longest * 3)
  }

  @Test func whatWasMeasuredStaysAndIsAddedTo() throws {
    let facts = try Facts(of: MeasuredTimesScenario.timesOfAQueue)
    for number in ["waited", "waits", "ran", "longestRun", "mostWaiting"] {
      #expect(try facts.integer("off.\(number)") == facts.integer("on.\(number)"))
    }
    #expect(try facts.integer("again.ran") == facts.integer("off.ran") + 11)
    #expect(try facts.integer("again.mostWaiting") == 9)
  }

  @Test func theEnvironmentAsksForTimes() throws {
    let facts = try Facts(
      of: MeasuredTimesScenario.timesFromTheStart, environment: ["SIGNALBOX_METRICS": "times"])
    #expect(try facts.integer("measures") == 1)
    #expect(try facts.integer("ran") == 2)
  }

  @Test(arguments: ["", "time", "times,depth"])
  func otherwiseNothingIsMeasured(_ wish: String) throws {
    let outcome = try ChildProgram("CountedFacts").run(
      [MeasuredTimesScenario.timesFromTheStart.rawValue], environment: ["SIGNALBOX_METRICS": wish])
    #expect(outcome.exit == .code(0))
    #expect(outcome.standardOutput == "measures=0\nran=0\n")
    let words = "SIGNALBOX: SIGNALBOX_METRICS=\(wish) is ignored: it must be \"times\".\n"
    #expect(outcome.standardError == (wish.isEmpty ? "" : words))
  }

  @Test func theMemoryIsBoundedAndNothingIsLost() throws {
    let facts = try Facts(of: MeasuredTimesScenario.timesOfManyQueues)
    #expect(try facts.integer("sums") == 1)
    #expect(try facts.integer("same.ran") == 150)
    // 31 characters of two bytes, and no half of one.
    #expect(try facts.integer("cut") == 62)
    #expect(try facts.integer("rows") == 128)
    #expect(try facts.integer("runs") == 3 * (50 + 1 + 300 + 300))
    #expect(try facts.integer("others") == 1)
    #expect(try facts.integer("livingAreWhole") == 1)
    #expect(try facts.integer("living") == 127)
  }

  @Test func underLoadEachItemIsMeasuredOnce() throws {
    let facts = try Facts(of: MeasuredTimesScenario.timesUnderLoad)
    let items = 10_000
    let syncs = 400 + 1
    #expect(try facts.integer("load.ran") == items + syncs)
    let waited = try facts.integer("load.waited") + facts.integer("load.unmeasured")
    #expect(waited >= items && waited <= items + syncs)
    #expect(try facts.integer("serial.ran") == items + 1)
    #expect(try facts.integer("load.mostWaiting") <= items)
    #expect(try facts.integer("serial.mostWaiting") >= 1)
  }
}
