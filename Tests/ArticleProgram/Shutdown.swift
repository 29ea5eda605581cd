// Shutdown — the program of "Graceful shutdown": a service that ends in good order on SIGTERM.

import Glibc
import SignalboxDispatch

// block: GracefulShutdown/service
/// Runs requests, and ends when those that it has accepted are answered.
// SAFETY: only items of `queue` use the mutable state.
final class Service: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.service")
  private let underWay = DispatchGroup()
  private var isStopping = false

  /// Runs `work` on a global queue.
  ///
  /// - Returns: whether it was accepted; false once the service stops.
  func request(_ work: @escaping @Sendable () -> Void) -> Bool {
    queue.sync {
      if isStopping { return false }
      DispatchQueue.global().async(group: underWay, execute: work)
      return true
    }
  }

  /// Accepts nothing more, and calls `end` when all is answered, or when `limit` has passed.
  func stop(within limit: DispatchTimeInterval, end: @escaping @Sendable (Int32) -> Void) {
    queue.async { [self] in
      if isStopping { return }  // a second SIGTERM
      isStopping = true
      underWay.notify(queue: queue) { end(EXIT_SUCCESS) }
      queue.asyncAfter(deadline: .now() + limit) { end(EXIT_FAILURE) }
    }
  }
}
// end

/// Sends SIGTERM during a request, and then makes one more request.
private func play(_ service: Service, lastsForEver: Bool) {
  let begun = DispatchSemaphore(value: 0)
  let refused = DispatchSemaphore(value: 0)
  let isAccepted = service.request {
    begun.signal()
    refused.wait()
    print("answered a request")
  }
  precondition(isAccepted)
  begun.wait()
  kill(getpid(), SIGTERM)
  if lastsForEver { return }
  while service.request({}) { usleep(1000) }  // until the signal has arrived
  print("refused a request")
  refused.signal()
}

func shutDown(lastsForEver: Bool) -> Never {
  let service = Service()
  let limit = lastsForEver ? DispatchTimeInterval.milliseconds(100) : .seconds(60)
  // block: GracefulShutdown/main
  let terminate = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  terminate.setEventHandler {
    print("SIGTERM: accepting no more requests")
    service.stop(within: limit) { status in
      print(status == EXIT_SUCCESS ? "all requests are answered" : "giving up some requests")
      exit(status)
    }
  }
  terminate.activate()
  // end
  DispatchQueue.global().async { play(service, lastsForEver: lastsForEver) }
  // block: GracefulShutdown/main
  dispatchMain()
  // end
}
