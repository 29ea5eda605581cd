// Errands — what the guest of each program does: the main queue, performs from other threads
// and delays, counted; then nothing, for a while.

import SignalboxDispatch
import SignalboxRunLoop
import Synchronization

/// An event loop that hosts the main run loop.
public protocol Host {
  /// How often it came back from waiting.
  var wakeUps: Int { get }
  /// Goes round once: waits, and drains the guest.
  func turn()
}

public enum Errands {
  private static let items = Atomic<Int>(0)
  private static let performs = Atomic<Int>(0)
  private static let delays = Atomic<Int>(0)
  private static let isQuiet = Atomic<Bool>(false)
  private static let isOver = Atomic<Bool>(false)

  /// Sends work to the main thread from everywhere, until all of it is done; then lets it
  /// wait for `idleSeconds` with nothing to do; and says how it went, a fact a line.
  ///
  /// - Parameters:
  ///   - host: runs on this thread, the main one.
  ///   - idleSeconds: how long the second part is.
  public static func run(on host: some Host, idleSeconds: Double) {
    let senders = DispatchGroup()
    for _ in 0..<200 {
      DispatchQueue.global().async(group: senders) {
        DispatchQueue.main.async { count(items) }
      }
    }
    senders.enter()
    Thread.performInBackground {
      let perform: @Sendable () -> Void = { count(performs) }
      for _ in 0..<50 {
        // Each waits until the host has come to it, and gives up if that takes a second.
        while (try? Thread.performOnMainThread(waitUntilDone: true, block: perform)) == nil {}
      }
      senders.leave()
    }
    for step in 1...5 {
      RunLoop.current.perform(afterDelay: Double(step) * 0.01) { count(delays) }
    }
    while value(items) < 200 || value(performs) < 50 || value(delays) < 5 { host.turn() }
    print("items=\(value(items))")
    print("performs=\(value(performs))")
    print("delays=\(value(delays))")

    Thread.performInBackground {
      // What the first part has left is over before the second begins: a thread may wake the
      // host for what that, being awake, has done already.
      senders.wait()
      Thread.sleep(forTimeInterval: idleSeconds / 4)
      DispatchQueue.main.async {
        isQuiet.store(true, ordering: .relaxed)  // order: relaxed; read on this thread.
      }
      Thread.sleep(forTimeInterval: idleSeconds)
      DispatchQueue.main.async {
        isOver.store(true, ordering: .relaxed)  // order: relaxed; read on this thread.
      }
    }
    while !isQuiet.load(ordering: .relaxed) {  // order: relaxed; as above.
      host.turn()
    }
    let before = host.wakeUps
    while !isOver.load(ordering: .relaxed) {  // order: relaxed; as above.
      host.turn()
    }
    // The last one is the item that ends it.
    print("idleWakeUps=\(host.wakeUps - before - 1)")
  }

  /// On the main thread; traps elsewhere.
  private static func count(_ counter: borrowing Atomic<Int>) {
    guard Thread.isMainThread else { fatalError("not on the main thread") }
    counter.wrappingAdd(1, ordering: .relaxed)  // order: relaxed; one thread counts and reads.
  }

  private static func value(_ counter: borrowing Atomic<Int>) -> Int {
    counter.load(ordering: .relaxed)  // order: relaxed; as above.
  }
}

/// The seconds of idleness that the command line names, or one.
public func idleSeconds() -> Double {
  CommandLine.arguments.count > 1 ? Double(CommandLine.arguments[1]) ?? 1 : 1
}
