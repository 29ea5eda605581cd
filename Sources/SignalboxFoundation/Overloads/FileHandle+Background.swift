// FileHandle+Background — reading in the background, told of in modes of our run loops.
//
// Foundation posts from its own loop of the thread, which does not run while ours does. So
// all forms are here once more, those without modes too; they hide Foundation's. Its forms
// with modes are here twice: with our modes, and less favoured with Foundation's, which would
// else fit `nil` and `[.default]` as well.

public import Foundation
import SignalboxDispatch
public import SignalboxRunLoop

extension FileHandle {
  /// Reads what there is, in the background, and posts `readCompletionNotification` when
  /// something has come, or the end: in the calling thread's run loop, in its default mode.
  ///
  /// Where the handle is closed meanwhile nothing is posted, and the loop waits no longer. It finds
  /// out when it is about to sleep: who closes the handle on another thread has to wake it up.
  /// So it is with all of these.
  ///
  /// Source: Apple's documentation of `FileHandle.readInBackgroundAndNotify()`.
  public func readInBackgroundAndNotify() { readInBackgroundAndNotify(forModes: nil) }

  /// The same in some modes.
  ///
  /// - Parameter modes: of the calling thread's loop, which stays in a run as long as nothing
  ///   has come; `nil` is the default one.
  public func readInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).whenReadable { read, available in
      read.post(FileHandle.readCompletionNotification, data: read.readOnce(upTo: available))
    }
  }

  /// The same in modes of Foundation's type.
  @_disfavoredOverload
  public func readInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    readInBackgroundAndNotify(forModes: modes.ours)
  }

  /// Reads until the end, in the background, and posts
  /// `NSFileHandleReadToEndOfFileCompletion` then.
  ///
  /// Source: Apple's documentation of `FileHandle.readToEndOfFileInBackgroundAndNotify()`.
  public func readToEndOfFileInBackgroundAndNotify() {
    readToEndOfFileInBackgroundAndNotify(forModes: nil)
  }

  /// The same in some modes. See
  /// ``readInBackgroundAndNotify(forModes:)-([RunLoop.Mode]?)``.
  public func readToEndOfFileInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).toEnd { read, result in
      read.post(.NSFileHandleReadToEndOfFileCompletion, data: result)
    }
  }

  /// The same in modes of Foundation's type.
  @_disfavoredOverload
  public func readToEndOfFileInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    readToEndOfFileInBackgroundAndNotify(forModes: modes.ours)
  }

  /// Waits for a connection of a listening socket, in the background, accepts it, and posts
  /// `NSFileHandleConnectionAccepted` with a file handle of it.
  ///
  /// Source: Apple's documentation of `FileHandle.acceptConnectionInBackgroundAndNotify()`.
  public func acceptConnectionInBackgroundAndNotify() {
    acceptConnectionInBackgroundAndNotify(forModes: nil)
  }

  /// The same in some modes. See
  /// ``readInBackgroundAndNotify(forModes:)-([RunLoop.Mode]?)``.
  public func acceptConnectionInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).whenReadable { read, _ in read.postConnection() }
  }

  /// The same in modes of Foundation's type.
  @_disfavoredOverload
  public func acceptConnectionInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    acceptConnectionInBackgroundAndNotify(forModes: modes.ours)
  }

  /// Waits until something can be read, in the background, and posts
  /// `NSFileHandleDataAvailable` then. Reads nothing.
  ///
  /// Source: Apple's documentation of `FileHandle.waitForDataInBackgroundAndNotify()`.
  public func waitForDataInBackgroundAndNotify() { waitForDataInBackgroundAndNotify(forModes: nil) }

  /// The same in some modes. See
  /// ``readInBackgroundAndNotify(forModes:)-([RunLoop.Mode]?)``.
  public func waitForDataInBackgroundAndNotify(forModes modes: [RunLoop.Mode]?) {
    BackgroundRead(self, modes).whenReadable { read, _ in
      read.post(.NSFileHandleDataAvailable, [:])
    }
  }

  /// The same in modes of Foundation's type.
  @_disfavoredOverload
  public func waitForDataInBackgroundAndNotify(forModes modes: [Foundation.RunLoop.Mode]?) {
    waitForDataInBackgroundAndNotify(forModes: modes.ours)
  }
}

extension [Foundation.RunLoop.Mode]? {
  fileprivate var ours: [SignalboxRunLoop.RunLoop.Mode]? { self?.map { .init($0) } }
}
