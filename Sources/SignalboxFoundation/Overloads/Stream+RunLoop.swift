// Stream+RunLoop — streams in modes of our run loops.
//
// Foundation's own methods take its run loops, and have no effect in the toolchain: a delegate
// never receives an event. With these methods it does.

public import Foundation
public import SignalboxRunLoop

extension Stream {
  /// Schedules the stream in a mode of a run loop, which calls the stream's delegate for its
  /// events.
  ///
  /// The delegate receives `openCompleted`, then `hasBytesAvailable` or `hasSpaceAvailable`
  /// repeatedly, and finally `endEncountered` or `errorOccurred`, at most one event per pass of
  /// the loop. If a stream reports its position (a file stream, or a memory stream for
  /// writing), an event repeats only after the delegate has moved the position. Any other
  /// stream repeats the event in each pass while it has bytes or space: remove an output stream
  /// from the loop while you have nothing to write.
  ///
  /// As in Foundation, streams of files and memory are always readable and writable; reading a
  /// pipe by its path may block the loop. The loop asks a subclass for `hasBytesAvailable` or
  /// `hasSpaceAvailable`. If the subclass returns its descriptor (as 4 bytes in a `Data`, or as a
  /// number) for the key `kCFStreamPropertySocketNativeHandle`, the loop asks when the descriptor
  /// is ready, otherwise a hundred times a second.
  ///
  /// Call it from any thread. The loop does not retain the stream. Open the stream before
  /// you schedule it, or on the loop's own thread.
  ///
  /// *Differences*: a subclass's override of `schedule(in:forMode:)` is not called, because it
  /// overrides the method that takes Foundation's run loop.
  ///
  /// Source: Apple's documentation of `Stream.schedule(in:forMode:)`.
  public func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    StreamSchedules.shared.add(self, to: aRunLoop.getCFRunLoop(), CFRunLoopMode(mode))
  }

  /// Removes the stream from a mode of a loop. Call it from any thread. A delegate
  /// call that is in progress finishes.
  ///
  /// Source: Apple's documentation of `Stream.remove(from:forMode:)`.
  public func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    StreamSchedules.shared.remove(self, from: aRunLoop.getCFRunLoop(), CFRunLoopMode(mode))
  }
}
