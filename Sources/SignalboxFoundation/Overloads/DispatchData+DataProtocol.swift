// DispatchData+DataProtocol — makes `DispatchData` conform to `DataProtocol`, and creates it
// from `Data`.

public import Foundation
public import SignalboxDispatch

extension DispatchData: DataProtocol {
  /// A contiguous piece of the data.
  ///
  /// It keeps the bytes alive.
  public struct Region: DataProtocol, ContiguousBytes, RandomAccessCollection {
    private let data: DispatchData
    private let start: Int

    fileprivate init(_ data: DispatchData, from start: Int) {
      self.data = data
      self.start = start
    }

    /// The region itself, which is contiguous.
    public var regions: CollectionOfOne<Region> { CollectionOfOne(self) }

    /// The byte at an index of the data that the region is part of.
    public subscript(position: DispatchData.Index) -> UInt8 { data[position - start] }

    /// The index of the first byte, in the data that the region is part of.
    public var startIndex: DispatchData.Index { start }

    /// The index after the last byte.
    public var endIndex: DispatchData.Index { start + data.count }

    /// Calls the closure with the bytes in place, without copying them.
    ///
    /// - Parameter body: the closure. The pointer is valid until it returns.
    /// - Returns: the closure's result.
    public func withUnsafeBytes<ResultType>(
      _ body: (UnsafeRawBufferPointer) throws -> ResultType
    ) rethrows -> ResultType {
      try data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in
        try body(UnsafeRawBufferPointer(start: bytes, count: data.count))
      }
    }
  }

  /// The contiguous regions of the data. No bytes are copied.
  public var regions: [Region] {
    var regions: [Region] = []
    enumerateBytes { bytes, start, _ in
      regions.append(Region(subdata(in: start..<start + bytes.count), from: start))
    }
    return regions
  }

  /// Creates data that shares the bytes of a `Data`. The bytes are not copied, and live as long
  /// as this value.
  ///
  /// *Beyond Apple's API*, where you use a cast.
  public init(_ data: Data) {
    let shared = SharedBytes(data)
    self.init(
      bytesNoCopy: UnsafeRawBufferPointer(shared.bytes), deallocator: .custom(nil) { shared.end() })
  }
}

/// Keeps the bytes of a `Data` in place until they are released.
private final class SharedBytes {
  let bytes: UnsafeRawBufferPointer
  private var object: NSData?

  init(_ data: Data) {
    let object = data._bridgeToObjectiveC()
    bytes = UnsafeRawBufferPointer(start: object.bytes, count: object.length)
    self.object = object
  }

  func end() { object = nil }
}
