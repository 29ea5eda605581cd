// SumsTests — the same in both kinds of suites, with Foundation and tasks.

import Foundation
import Sums
import Testing
import XCTest

@Suite struct SumsTests {
  @Test(arguments: 0..<20) func sumsAreRight(_ count: Int) async {
    await Task.yield()
    #expect(Sums.below(count) == count * (count - 1) / 2)
  }
}

final class OlderSumsTests: XCTestCase {
  func testSumIsRight() { XCTAssertEqual(Sums.below(10), 45) }

  func testAnExpectationIsMet() {
    let met = expectation(description: "called back")
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { met.fulfill() }
    wait(for: [met], timeout: 60)
  }

  func testATaskRunsOnAThreadOfSignalbox() async throws {
    // A thread may end after it was listed.
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap {
      try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
    }
    print("threads of Signalbox: \(names.contains { $0.hasPrefix("sb-") })")
  }
}
