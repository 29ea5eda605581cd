import Foundation
import XCTest

@testable import Store

/// The commonest pair of imports: each type is named once.
final class PairTests: XCTestCase {
  func testTheLoopRunsUntilTheQueueHasDelivered() {
    let queue = OperationQueue()
    let delivered = expectation(description: "delivered")
    queue.addOperation { delivered.fulfill() }
    XCTAssertEqual(XCTWaiter.wait(for: [delivered], timeout: 60), .completed)
    XCTAssertNotNil(RunLoop.current)
    XCTAssertTrue(Thread.isMainThread)
    XCTAssertNotNil(Date().timeIntervalSince1970)
  }
}
