import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct NotificationCenterTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("replacement")

  @Test func aBlockIsCalledOnTheQueueWhileThePosterWaits() {
    let queue = OperationQueue()
    let heard = EventLog<Bool>()
    let token = center.addObserver(forName: name, object: nil, queue: queue) { _ in
      heard.append(OperationQueue.current === queue)
    }
    center.post(name: name, object: nil)
    #expect(heard.all == [true])
    center.removeObserver(token)
    center.post(name: name, object: nil)
    #expect(heard.count == 1)
  }

  /// A notification that is sent to the queue it is posted on would wait for itself.
  @Test func aPostFromTheQueueCallsTheBlockDirectly() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let heard = EventLog<Bool>()
    let token = center.addObserver(forName: name, object: nil, queue: queue) { _ in
      heard.append(OperationQueue.current === queue)
    }
    defer { center.removeObserver(token) }
    let (center, name) = (center, name)
    let operation = BlockOperation { center.post(name: name, object: nil) }
    queue.addOperation(operation)
    operation.waitUntilFinished()
    #expect(heard.all == [true])
  }

  @Test func withoutAQueueTheBlockIsCalledByThePoster() throws {
    let (center, name) = (center, name)
    let heard = EventLog<Int>()
    let none: OperationQueue? = nil
    let tokens = [
      center.addObserver(forName: name, object: nil, queue: nil) { _ in
        heard.append(kernelThreadNumber())
      },
      center.addObserver(forName: name, object: nil, queue: none) { _ in
        heard.append(kernelThreadNumber())
      },
    ]
    defer { tokens.forEach { center.removeObserver($0) } }
    let thread = try onPlainThread {
      center.post(name: name, object: nil)
      return kernelThreadNumber()
    }
    #expect(heard.all == [thread, thread])
  }

  /// Compiles only if neither of Foundation's forms matches as well as ours.
  @Test func theMainQueueIsOurs() {
    let optional: OperationQueue? = .main
    let tokens = [
      center.addObserver(forName: name, object: nil, queue: .main) { _ in },
      center.addObserver(forName: name, object: nil, queue: optional) { _ in },
    ]
    tokens.forEach { center.removeObserver($0) }
    #expect(String(reflecting: OperationQueue.self).contains("Signalbox"))
  }

  @Test(.observingOneObject) func notificationsCarryTheirObject() {
    let queue = OperationQueue()
    let port = Port()
    let heard = EventLog<Bool>()
    let token = center.addObserver(forName: name, object: port, queue: queue) { note in
      heard.append(note.object as? Port === port && note.userInfo?["a"] as? Int == 1)
    }
    defer { center.removeObserver(token) }
    center.post(name: name, object: port, userInfo: ["a": 1])
    center.post(name: name, object: Port(), userInfo: ["a": 1])
    #expect(heard.all == [true])
  }
}
