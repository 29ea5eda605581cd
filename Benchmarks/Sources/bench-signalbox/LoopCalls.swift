/// A run loop that others give blocks to.
struct LoopCalls: Sendable {
  private let loop: CFRunLoop

  /// The calling thread's.
  init() { loop = CFRunLoopGetCurrent() }

  static let main = LoopCalls(CFRunLoopGetMain())

  private init(_ loop: CFRunLoop) { self.loop = loop }

  /// Has the loop run a block, awake if it slept.
  func perform(_ block: @escaping @Sendable () -> Void) { RunLoop.of(loop).perform(block) }

  func stop() { CFRunLoopStop(loop) }

  /// Runs the calling thread's loop until it is stopped.
  static func run() {
    var context = CFRunLoopSourceContext()
    let keeper = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
    CFRunLoopRun()
    CFRunLoopSourceInvalidate(keeper)
  }
}
