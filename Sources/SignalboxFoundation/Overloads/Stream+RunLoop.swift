// Stream+RunLoop — streams in modes of our run loops.
//
// Foundation's own forms take its run loops. In the toolchain they are without consequence: a
// delegate is never told of anything. Here it is.

public import Foundation
public import SignalboxRunLoop

extension Stream {
  /// Has the stream's delegate told of what happens to the stream, by a run loop, in one of its
  /// modes.
  ///
  /// The delegate hears `openCompleted`, then `hasBytesAvailable` or `hasSpaceAvailable` again
  /// and again, and at last `endEncountered` or `errorOccurred`; one event a pass of the loop.
  /// A stream that tells its place (of a file, in memory to be written) is not repeated
  /// before the delegate has moved it. Any other is, in each pass, as long as it has something:
  /// remove an output stream from the loop while there is nothing to write.
  ///
  /// Streams of files and of memory can always be read and written, as Foundation has it; the
  /// reading of a pipe by its path may block the loop. A subclass is asked by its
  /// `hasBytesAvailable` and `hasSpaceAvailable`: when its descriptor is ready, if it tells
  /// that (as 4 bytes of a `Data`, or a number) for the key
  /// `kCFStreamPropertySocketNativeHandle`, else a hundred times a second.
  ///
  /// Any thread. The loop does not keep the stream. A stream is to be opened by the loop's
  /// own thread, or before.
  ///
  /// *Differences*: a subclass's own `schedule(in:forMode:)`, which overrides one that takes
  /// Foundation's run loop, is not called.
  ///
  /// Source: Apple's documentation of `Stream.schedule(in:forMode:)`.
  public func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    StreamSchedules.shared.add(self, to: aRunLoop.getCFRunLoop(), CFRunLoopMode(mode))
  }

  /// Removes the stream from a mode of a loop. Any thread. A call of the delegate under way
  /// goes on to its end.
  ///
  /// Source: Apple's documentation of `Stream.remove(from:forMode:)`.
  public func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    StreamSchedules.shared.remove(self, from: aRunLoop.getCFRunLoop(), CFRunLoopMode(mode))
  }
}
