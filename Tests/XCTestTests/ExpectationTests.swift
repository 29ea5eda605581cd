// ExpectationTests — a suite as programs write it with XCTest: expectations that queues, timers,
// threads and notifications fulfil while the test waits on the main thread. Only the import line is
// ours.

import SignalboxXCTest

final class ExpectationTests: XCTestCase {
  /// Nothing here takes that long.
  private let limit: TimeInterval = 60

  func testTheMainQueueRunsWhileTheTestWaits() {
    let told = expectation(description: "told")
    DispatchQueue.main.async {
      XCTAssertTrue(Thread.isMainThread)
      dispatchPrecondition(condition: .onQueue(.main))
      told.fulfill()
    }
    wait(for: [told], timeout: limit)
  }

  func testAnItemOfAnotherQueueComesBackToTheMainQueue() {
    let queue = DispatchQueue(label: "org.signalbox.xctest")
    let back = expectation(description: "back")
    let steps = Order()
    queue.async {
      dispatchPrecondition(condition: .onQueue(queue))
      DispatchQueue.main.async {
        steps.append(1)
        back.fulfill()
      }
    }
    wait(for: [back], timeout: limit)
    XCTAssertEqual(steps.all, [1])
  }

  func testEachDelayOnTheMainQueueIsKept() {
    let order = Order()
    let told = expectation(description: "told")
    told.expectedFulfillmentCount = 3
    let start = DispatchTime.now()
    for step in [3, 1, 2] {
      let due = start + .milliseconds(step * 10)
      DispatchQueue.main.asyncAfter(deadline: due) {
        XCTAssertGreaterThanOrEqual(DispatchTime.now().uptimeNanoseconds, due.uptimeNanoseconds)
        order.append(step)
        told.fulfill()
      }
    }
    wait(for: [told], timeout: limit)
    // Two that are late may change places: a thread that has found one due may lose its processor
    // before it hands the item over. Among those in time, none being early says the order.
    XCTAssertEqual(order.all.sorted(), [1, 2, 3])
  }

  func testTimersOfTheCurrentLoopFire() {
    let told = expectation(description: "told")
    told.expectedFulfillmentCount = 3
    told.assertForOverFulfill = true
    let fired = Order()
    let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
      fired.append(fired.all.count)
      if fired.all.count == 3 { timer.invalidate() }
      told.fulfill()
    }
    wait(for: [told], timeout: limit)
    XCTAssertFalse(timer.isValid)
    XCTAssertEqual(fired.all, [0, 1, 2])
  }

  func testAGroupNotifiesTheMainQueue() {
    let group = DispatchGroup()
    let sum = Order()
    for index in 0..<10 {
      DispatchQueue.global().async(group: group) {
        DispatchQueue.main.sync { sum.append(index) }
      }
    }
    let notified = expectation(description: "notified")
    group.notify(queue: .main) { notified.fulfill() }
    wait(for: [notified], timeout: limit)
    XCTAssertEqual(sum.all.sorted(), Array(0..<10))
  }

  func testASourceOfTheMainQueueIsHeard() {
    let told = expectation(description: "told")
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.setEventHandler {
      XCTAssertTrue(Thread.isMainThread)
      source.cancel()
      told.fulfill()
    }
    source.schedule(deadline: .now() + .milliseconds(5))
    source.resume()
    wait(for: [told], timeout: limit)
  }

  func testAThreadHasTheMainLoopPerform() {
    let told = expectation(description: "told")
    Thread.detachNewThread {
      XCTAssertFalse(Thread.isMainThread)
      RunLoop.main.perform {
        XCTAssertTrue(Thread.isMainThread)
        told.fulfill()
      }
    }
    wait(for: [told], timeout: limit)
  }

  func testAPredicateIsSeenToHold() {
    let flag = Order()
    let isSet = expectation(
      for: NSPredicate { _, _ in !flag.all.isEmpty }, evaluatedWith: nil, handler: nil)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(20)) { flag.append(1) }
    wait(for: [isSet], timeout: limit)
  }

  func testANotificationFromTheMainQueueIsHeard() {
    let name = Notification.Name("org.signalbox.xctest.note")
    let heard = expectation(forNotification: name, object: nil, handler: nil)
    DispatchQueue.main.async { NotificationCenter.default.post(name: name, object: nil) }
    wait(for: [heard], timeout: limit)
  }

  /// An operation of another queue posts on the main thread: the poster does not wait for
  /// itself.
  func testWhoPostsOnTheMainThreadIsHeardThereAtOnce() {
    let heard = expectation(description: "heard")
    let queue = OperationQueue()
    queue.underlyingQueue = .main
    let (center, name) = (NotificationCenter(), Notification.Name("here"))
    let token = center.addObserver(forName: name, object: nil, queue: .main) { _ in
      heard.fulfill()
    }
    queue.addOperation { center.post(name: name, object: nil) }
    wait(for: [heard], timeout: limit)
    center.removeObserver(token)
  }

  func testAQueuedNotificationIsHeard() {
    let name = Notification.Name("org.signalbox.xctest.queued")
    let heard = expectation(description: "heard")
    heard.expectedFulfillmentCount = 2
    let observer = NotificationCenter.default.addObserver(
      forName: name, object: nil, queue: nil
    ) { _ in heard.fulfill() }
    defer { NotificationCenter.default.removeObserver(observer) }
    NotificationQueue.default.enqueue(Notification(name: name), postingStyle: .asap)
    NotificationQueue.default.enqueue(Notification(name: name), postingStyle: .asap)
    DispatchQueue.main.async {
      NotificationQueue.default.enqueue(
        Notification(name: name), postingStyle: .whenIdle, coalesceMask: .none, forModes: nil)
    }
    wait(for: [heard], timeout: limit)
  }

  func testExpectationsAreFulfilledInOrder() {
    let first = expectation(description: "first")
    let second = expectation(description: "second")
    DispatchQueue.main.async {
      first.fulfill()
      DispatchQueue.main.async { second.fulfill() }
    }
    wait(for: [first, second], timeout: limit, enforceOrder: true)
  }

  func testAnInvertedExpectationIsNotFulfilledByWhatWasCancelled() {
    let never = expectation(description: "never")
    never.isInverted = true
    let item = DispatchWorkItem { never.fulfill() }
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(10), execute: item)
    item.cancel()
    wait(for: [never], timeout: 0.1)
  }

  func testALoopThatTheTestRunsItselfServesBoth() {
    let order = Order()
    DispatchQueue.main.async { order.append(1) }
    let timer = Timer(timeInterval: 0.005, repeats: false) { _ in order.append(2) }
    RunLoop.current.add(timer, forMode: .default)
    let end = Date(timeIntervalSinceNow: limit)
    while order.all.count < 2 && Date() < end {
      RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    // The timer may be due before the loop's first pass.
    XCTAssertEqual(order.all.sorted(), [1, 2])
  }

  // SAFETY: used on the main thread only; `append` checks that.
  private final class Order: @unchecked Sendable {
    private(set) var all: [Int] = []

    func append(_ step: Int) {
      XCTAssertTrue(Thread.isMainThread)
      all.append(step)
    }
  }
}
