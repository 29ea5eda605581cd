// DispatchSourceRead — sources that tell when a descriptor can be read or written.

import SignalboxRuntime

/// A source that tells when a descriptor can be read. Its `data` is how many bytes are
/// there; 0 at the end, and 1 where the kernel does not tell.
///
/// Source: Apple's documentation of `DispatchSourceRead`.
public protocol DispatchSourceRead: DispatchSourceProtocol {}

/// A source that tells when a descriptor can be written. Its `data` is how many bytes fit;
/// 0 if the other end is closed, and 1 where the kernel does not tell.
///
/// Source: Apple's documentation of `DispatchSourceWrite`.
public protocol DispatchSourceWrite: DispatchSourceProtocol {}

extension DispatchSource: DispatchSourceRead, DispatchSourceWrite {
  /// Makes a source that tells when `fileDescriptor` can be read.
  ///
  /// Its handler is called again and again for as long as something is left to read. The
  /// end, when the other side has closed and all is read, is told once. A regular file can
  /// always be read: the handler is called until its end, where `data` is 0, and again
  /// when the file has grown.
  ///
  /// Close the descriptor in the cancel handler, not before: a source whose descriptor is
  /// closed under it tells nothing, or says so on standard error and is cancelled. Any
  /// number of sources may watch one descriptor.
  ///
  /// It costs a system call to register, one for each event, and no thread.
  ///
  /// *Differences*: a hang-up is told once, not again until the source is cancelled. A
  /// negative descriptor traps.
  ///
  /// Source: Apple's documentation of `makeReadSource(fileDescriptor:queue:)`.
  public class func makeReadSource(
    fileDescriptor: Int32, queue: DispatchQueue? = nil
  ) -> any DispatchSourceRead {
    checkDescriptor(fileDescriptor, "makeReadSource")
    return DispatchSource(DescriptorSource(.reading, fileDescriptor, queue: queue))
  }

  /// Makes a source that tells when `fileDescriptor` can be written.
  ///
  /// Its handler is called again and again for as long as something fits: suspend the
  /// source while there is nothing to write. A closed other end is told once.
  ///
  /// Source: Apple's documentation of `makeWriteSource(fileDescriptor:queue:)`.
  public class func makeWriteSource(
    fileDescriptor: Int32, queue: DispatchQueue? = nil
  ) -> any DispatchSourceWrite {
    checkDescriptor(fileDescriptor, "makeWriteSource")
    return DispatchSource(DescriptorSource(.writing, fileDescriptor, queue: queue))
  }

  /// Traps if it is no descriptor at all.
  static func checkDescriptor(_ descriptor: Int32, _ function: StaticString) {
    if descriptor < 0 {
      clientBug(
        "DispatchSource.\(function)(fileDescriptor: \(descriptor)): a descriptor is 0 or more; did "
          + "the call fail that should have opened it?")
    }
  }
}
