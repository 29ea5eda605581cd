// Way — which pool runs Swift's jobs, and what serves the main actor.

import ConcurrencyScenarios
import Glibc
import SignalboxConcurrency
import SignalboxDispatch
import SignalboxRunLoop

#if compiler(>=6.3) && compiler(<6.4)
  private typealias UnhookedRoute = FactoryRoute
#else
  private typealias UnhookedRoute = NoRoute
#endif

enum Way: String, CaseIterable, Sendable {
  /// The toolchain's pool and its own drain.
  case stock
  /// The toolchain's pool beside our drain.
  case beside
  case adopted
  case runLoop = "adopted-run-loop"
  case cfRunLoop = "adopted-cf-run-loop"
  case host = "adopted-host"
  /// Adopted although the runtime's hook is missing.
  case unhooked = "adopted-unhooked"

  var isAdopted: Bool { self != .stock && self != .beside }

  /// What a program does first.
  func begin() {
    guard isAdopted else { return }
    do {
      if self == .unhooked {
        try SignalboxExecutors.adopt(by: UnhookedRoute.self)
      } else {
        try SignalboxExecutors.adopt()
      }
    } catch { fail("not adopted: \(error)") }
  }

  /// Runs a task, and ends the program with it.
  func run(_ scenario: @escaping AsyncScenario) -> Never {
    Task.detached {
      do { try await scenario() } catch { fail("thrown: \(error)") }
      exit(EXIT_SUCCESS)
    }
    drainMain()
  }

  /// Serves the main queue on the first thread forever.
  func drainMain() -> Never {
    switch self {
    case .stock: drainToolchainMain()
    case .beside, .adopted, .unhooked: dispatchMain()
    case .runLoop: while true { RunLoop.main.run() }
    case .cfRunLoop: while true { CFRunLoopRun() }
    case .host:
      while true {
        var polled = pollfd(
          fd: DispatchMainQueueHost.fileDescriptor, events: Int16(POLLIN), revents: 0)
        let timeout: Int32 = DispatchMainQueueHost.timeout == .never ? -1 : 0
        if poll(&polled, 1, timeout) < 0 && errno != EINTR { fail("poll: \(errno)") }
        // A drain without a request would hide a lost wake-up.
        if polled.revents != 0 || timeout == 0 { DispatchMainQueueHost.drain() }
      }
    }
  }
}
