import SignalboxFoundationNetworking
import SignalboxTestSupport
import Testing

struct URLSessionTests {
  private var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Echo.self]
    return configuration
  }

  private let url = URL(string: "echo://box/hello")!

  @Test func theDelegateIsCalledOnOurQueue() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let delegate = Delegate(queue)
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    session.dataTask(with: url).resume()
    let told = try delegate.told.wait(forCount: 3)
    #expect(told == ["response true", "data hello true", "end nil true"])
    #expect((session.delegateQueue as? FoundationOperationQueue)?.target === queue)
    session.finishTasksAndInvalidate()
  }

  @Test func aCompletionHandlerIsCalledOnOurQueue() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let done = EventLog<String>()
    let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: queue)
    session.dataTask(with: url) { data, _, _ in
      done.append(
        "\(String(decoding: data ?? Data(), as: UTF8.self)) \(OperationQueue.current === queue)")
    }.resume()
    #expect(try done.wait(forCount: 1) == ["hello true"])
    session.finishTasksAndInvalidate()
  }

  @Test func aSessionNeedsNoQueue() throws {
    let none: OperationQueue? = nil
    for session in [
      URLSession(configuration: configuration, delegate: nil, delegateQueue: nil),
      URLSession(configuration: configuration, delegate: nil, delegateQueue: none),
    ] {
      let done = EventLog<String>()
      session.dataTask(with: url) { data, _, _ in
        done.append(String(decoding: data ?? Data(), as: UTF8.self))
      }.resume()
      #expect(try done.wait(forCount: 1) == ["hello"])
      session.finishTasksAndInvalidate()
    }
  }

  private final class Delegate: NSObject, URLSessionDataDelegate {
    let told = EventLog<String>()
    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    private func tell(_ what: String) { told.append("\(what) \(OperationQueue.current === queue)") }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
      tell("response")
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      tell("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      tell("end \(error.map { "\($0)" } ?? "nil")")
    }
  }
}

/// Answers with the last part of the address, without a network.
private final class Echo: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let url = request.url!
    let body = Data(url.lastPathComponent.utf8)
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)!
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: body)
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
