// CFRunLoop+MainQueue — the main loop serves the main queue, in the common modes.

extension CFRunLoop {
  /// Whether the loop has the main queue to wait for in this mode: it is never without
  /// something to do there.
  func servesMainQueue(_ mode: LoopMode) -> Bool { isMain && mode.isCommon }

  /// Step 9: runs what waits on the main queue.
  ///
  /// - Returns: whether something did.
  func serveMainQueue(_ mode: LoopMode) -> Bool { false }
}
