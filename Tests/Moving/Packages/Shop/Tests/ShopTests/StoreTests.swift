import XCTest

@testable import Store

final class StoreTests: XCTestCase {
  func testTheTillCounts() {
    let till = Till()
    let done = expectation(description: "all added")
    DispatchQueue.global().async {
      (1...10).forEach(till.add)
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
    XCTAssertEqual(till.total, 55)
  }

  func testDeliveriesAreCounted() {
    let stock = Stock()
    stock.deliver(["tea", "tea"], on: OperationQueue())
    XCTAssertEqual(stock.count(of: "tea"), 2)
  }
}
