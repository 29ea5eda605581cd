// FileHandle+Background — background reads that notify in modes of our run loops.
//
// Foundation posts from the thread's Foundation loop, which does not run while our loop does. So
// this file redeclares all of these methods, including those without modes, and hides
// Foundation's methods. Each method with modes exists twice: with our modes, and disfavored with
// Foundation's modes, because otherwise `nil` and `[.default]` would match both.

public import Foundation
import SignalboxDispatch
public import SignalboxRunLoop

extension FileHandle {
  /// Reads the available data in the background, and posts `readCompletionNotification` when
  /// data or the end has arrived. The calling thread's run loop posts it, in the default mode.
  ///
  /// If the handle is closed before that, nothing is posted, and the loop stops waiting. The loop
  /// notices the close when it is about to sleep, so a thread that closes the handle must wake the
  /// loop. The same applies to all methods of this family.
  ///
  /// Source: Apple's documentation of `FileHandle.readInBackgroundAndNotify()`.
  public func readInBackgroundAndNotify() { readInBackgroundAndNotify(forModes: nil) }

  /// Reads the available data in the background; see ``readInBackgroundAndNotify()``.
  ///
  /// - Parameter modes: the modes of the calling thread's loop in which to post; `nil` is the
  ///   default mode. The loop keeps running until data has arrived.
  public func readInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).whenReadable { read, available in
      read.post(FileHandle.readCompletionNotification, data: read.readOnce(upTo: available))
    }
  }

  /// Reads the available data in the background, with modes of Foundation's type.
  @_disfavoredOverload
  public func readInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    readInBackgroundAndNotify(forModes: modes.ours)
  }

  /// Reads until the end in the background, and then posts `NSFileHandleReadToEndOfFileCompletion`.
  ///
  /// Source: Apple's documentation of `FileHandle.readToEndOfFileInBackgroundAndNotify()`.
  public func readToEndOfFileInBackgroundAndNotify() {
    readToEndOfFileInBackgroundAndNotify(forModes: nil)
  }

  /// Reads until the end in the background. For the modes see
  /// ``readInBackgroundAndNotify(forModes:)-([RunLoop.Mode]?)``.
  public func readToEndOfFileInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).toEnd { read, result in
      read.post(.NSFileHandleReadToEndOfFileCompletion, data: result)
    }
  }

  /// Reads until the end in the background, with modes of Foundation's type.
  @_disfavoredOverload
  public func readToEndOfFileInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    readToEndOfFileInBackgroundAndNotify(forModes: modes.ours)
  }

  /// Waits in the background for a connection on a listening socket, accepts it, and posts
  /// `NSFileHandleConnectionAccepted` with a file handle for the connection.
  ///
  /// Source: Apple's documentation of `FileHandle.acceptConnectionInBackgroundAndNotify()`.
  public func acceptConnectionInBackgroundAndNotify() {
    acceptConnectionInBackgroundAndNotify(forModes: nil)
  }

  /// Accepts a connection in the background. For the modes see
  /// ``readInBackgroundAndNotify(forModes:)-([RunLoop.Mode]?)``.
  public func acceptConnectionInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).whenReadable { read, _ in read.postConnection() }
  }

  /// Accepts a connection in the background, with modes of Foundation's type.
  @_disfavoredOverload
  public func acceptConnectionInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    acceptConnectionInBackgroundAndNotify(forModes: modes.ours)
  }

  /// Waits in the background until data can be read, and then posts
  /// `NSFileHandleDataAvailable`. Reads nothing.
  ///
  /// Source: Apple's documentation of `FileHandle.waitForDataInBackgroundAndNotify()`.
  public func waitForDataInBackgroundAndNotify() { waitForDataInBackgroundAndNotify(forModes: nil) }

  /// Waits for data in the background. For the modes see
  /// ``readInBackgroundAndNotify(forModes:)-([RunLoop.Mode]?)``.
  public func waitForDataInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).whenReadable { read, _ in
      read.post(.NSFileHandleDataAvailable, [:])
    }
  }

  /// Waits for data in the background, with modes of Foundation's type.
  @_disfavoredOverload
  public func waitForDataInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    waitForDataInBackgroundAndNotify(forModes: modes.ours)
  }
}

extension [Foundation.RunLoop.Mode]? {
  fileprivate var ours: [SignalboxRunLoop.RunLoop.Mode]? { self?.map { .init($0) } }
}
