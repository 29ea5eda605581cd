// StreamPosition — a stream's position, readiness and descriptor.

import Foundation

/// The number of bytes that were read or written.
struct StreamPosition: Equatable {
  let bytes: Int
}

extension Stream {
  /// The stream's position, if it reports one.
  var position: StreamPosition? {
    if let offset = property(forKey: .fileCurrentOffsetKey) as? NSNumber {
      return StreamPosition(bytes: offset.intValue)
    }
    guard self is OutputStream,
      let written = property(forKey: .dataWrittenToMemoryStreamKey) as? NSData
    else { return nil }
    return StreamPosition(bytes: written.length)
  }

  /// The readiness event that the delegate may receive now.
  var readiness: Event? {
    if let input = self as? InputStream {
      return input.hasBytesAvailable ? .hasBytesAvailable : nil
    }
    if let output = self as? OutputStream {
      return output.hasSpaceAvailable ? .hasSpaceAvailable : nil
    }
    return nil
  }

  /// Whether the stream is open.
  var isServed: Bool {
    switch streamStatus {
    case .open, .reading, .writing: true
    default: false
    }
  }

  /// Whether the class is Foundation's own: its streams do not become ready by themselves.
  var isFoundations: Bool {
    type(of: self) == InputStream.self || type(of: self) == OutputStream.self
  }

  /// The descriptor of a stream that reports it, as socket streams do.
  var nativeDescriptor: Int32? {
    guard !isFoundations, self is InputStream || self is OutputStream else { return nil }
    let value = property(forKey: PropertyKey(rawValue: "kCFStreamPropertySocketNativeHandle"))
    if let number = value as? NSNumber { return number.int32Value }
    guard let data = value as? NSData, data.length == MemoryLayout<Int32>.size else { return nil }
    return data.bytes.loadUnaligned(as: Int32.self)
  }
}
