import CoreFoundation
import Foundation

/// A run loop that others give blocks to.
// SAFETY: what is used of a loop off its thread may be.
struct LoopCalls: @unchecked Sendable {
  private let loop: CFRunLoop
  private let runLoop: RunLoop

  /// The calling thread's.
  init() {
    loop = CFRunLoopGetCurrent()
    runLoop = .current
  }

  static let main = LoopCalls(CFRunLoopGetMain(), .main)

  private init(_ loop: CFRunLoop, _ runLoop: RunLoop) {
    self.loop = loop
    self.runLoop = runLoop
  }

  /// Has the loop run a block, awake if it slept.
  func perform(_ block: @escaping @Sendable () -> Void) {
    runLoop.perform(block)
    CFRunLoopWakeUp(loop)
  }

  func stop() { CFRunLoopStop(loop) }

  /// Runs the calling thread's loop until it is stopped.
  static func run() {
    // A mode without a source or a timer is left at once; a plain `Port` traps there.
    let keeper = Timer(timeInterval: 1e6, repeats: true) { _ in }
    RunLoop.current.add(keeper, forMode: .default)
    CFRunLoopRun()
    keeper.invalidate()
  }
}
