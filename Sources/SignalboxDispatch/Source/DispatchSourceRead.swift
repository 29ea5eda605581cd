// DispatchSourceRead — sources that report when a descriptor can be read or written.

import SignalboxRuntime

/// A source that reports when a descriptor can be read. Its `data` is the number of bytes
/// available; 0 at the end, and 1 if the kernel does not report the number.
///
/// Source: Apple's documentation of `DispatchSourceRead`.
public protocol DispatchSourceRead: DispatchSourceProtocol {}

/// A source that reports when a descriptor can be written. Its `data` is the number of bytes that
/// fit; 0 if the other end is closed, and 1 if the kernel does not report the number.
///
/// Source: Apple's documentation of `DispatchSourceWrite`.
public protocol DispatchSourceWrite: DispatchSourceProtocol {}

extension DispatchSource: DispatchSourceRead, DispatchSourceWrite {
  /// Creates a source that reports when `fileDescriptor` can be read.
  ///
  /// Its handler is called repeatedly as long as bytes are left to read. The end, when the other
  /// side has closed and everything is read, is reported once, and once more after each resumption
  /// of the source. A regular file can always be read: the handler is called up to its end, where
  /// `data` is 0, and again when the file has grown.
  ///
  /// Close the descriptor in the cancel handler, not before. A source whose descriptor is closed
  /// early reports nothing, or prints a message on standard error and is cancelled. Any number of
  /// sources may watch one descriptor.
  ///
  /// It costs one system call to register, one for each event, and no thread.
  ///
  /// *Differences*: an active source reports a hang-up once, not repeatedly until it is cancelled.
  /// A negative descriptor traps.
  ///
  /// Source: Apple's documentation of `makeReadSource(fileDescriptor:queue:)`.
  public class func makeReadSource(
    fileDescriptor: Int32, queue: DispatchQueue? = nil
  ) -> any DispatchSourceRead {
    checkDescriptor(fileDescriptor, "makeReadSource")
    return DispatchSource(DescriptorSource(.reading, fileDescriptor, queue: queue))
  }

  /// Creates a source that reports when `fileDescriptor` can be written.
  ///
  /// Its handler is called repeatedly as long as bytes fit: suspend the source while you have
  /// nothing to write. A closed other end is reported once, and once more after each resumption.
  ///
  /// Source: Apple's documentation of `makeWriteSource(fileDescriptor:queue:)`.
  public class func makeWriteSource(
    fileDescriptor: Int32, queue: DispatchQueue? = nil
  ) -> any DispatchSourceWrite {
    checkDescriptor(fileDescriptor, "makeWriteSource")
    return DispatchSource(DescriptorSource(.writing, fileDescriptor, queue: queue))
  }

  /// Traps if the number is negative.
  static func checkDescriptor(_ descriptor: Int32, _ function: StaticString) {
    if descriptor < 0 {
      clientBug(
        "DispatchSource.\(function)(fileDescriptor: \(descriptor)): a descriptor is 0 or more. "
          + "Did the call that should have opened it fail?")
    }
  }
}
