// StreamPlace — what a stream tells of itself: how far it has come, whether it is ready, by
// which descriptor.

import Foundation

/// How many bytes of a stream are read or written.
struct StreamPlace: Equatable {
  let bytes: Int
}

extension Stream {
  /// The stream's place, where it tells one.
  var place: StreamPlace? {
    if let offset = property(forKey: .fileCurrentOffsetKey) as? NSNumber {
      return StreamPlace(bytes: offset.intValue)
    }
    guard self is OutputStream,
      let written = property(forKey: .dataWrittenToMemoryStreamKey) as? NSData
    else { return nil }
    return StreamPlace(bytes: written.length)
  }

  /// What it can tell its delegate now, of what it has.
  var readiness: Event? {
    if let input = self as? InputStream {
      return input.hasBytesAvailable ? .hasBytesAvailable : nil
    }
    if let output = self as? OutputStream {
      return output.hasSpaceAvailable ? .hasSpaceAvailable : nil
    }
    return nil
  }

  /// Whether it is open.
  var isServed: Bool {
    switch streamStatus {
    case .open, .reading, .writing: true
    default: false
    }
  }

  /// Whether it is of a class of Foundation's, whose streams do not become ready by themselves.
  var isFoundations: Bool {
    type(of: self) == InputStream.self || type(of: self) == OutputStream.self
  }

  /// The descriptor of a stream that tells it, as streams of sockets do.
  var nativeDescriptor: Int32? {
    guard !isFoundations, self is InputStream || self is OutputStream else { return nil }
    let value = property(forKey: PropertyKey(rawValue: "kCFStreamPropertySocketNativeHandle"))
    if let number = value as? NSNumber { return number.int32Value }
    guard let data = value as? NSData, data.length == MemoryLayout<Int32>.size else { return nil }
    return data.bytes.loadUnaligned(as: Int32.self)
  }
}
