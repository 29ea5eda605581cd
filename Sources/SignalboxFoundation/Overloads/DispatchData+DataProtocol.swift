// DispatchData+DataProtocol — our data where Foundation wants data, and turned into it.

public import Foundation
public import SignalboxDispatch

extension DispatchData: DataProtocol {
  /// A stretch of memory in which some of the bytes lie.
  ///
  /// It keeps the bytes.
  public struct Region: DataProtocol, ContiguousBytes, RandomAccessCollection {
    private let data: DispatchData
    private let start: Int

    fileprivate init(_ data: DispatchData, from start: Int) {
      self.data = data
      self.start = start
    }

    /// Itself: it lies in one stretch.
    public var regions: CollectionOfOne<Region> { CollectionOfOne(self) }

    /// Of indices of the data that it is a part of.
    public subscript(position: DispatchData.Index) -> UInt8 { data[position - start] }

    /// The first byte, by its index in the data that it is a part of.
    public var startIndex: DispatchData.Index { start }

    /// Behind the last byte.
    public var endIndex: DispatchData.Index { start + data.count }

    /// Calls the closure with the bytes where they lie. Nothing is copied.
    ///
    /// - Parameter body: the pointer is of use until it returns.
    /// - Returns: what it returned.
    public func withUnsafeBytes<ResultType>(
      _ body: (UnsafeRawBufferPointer) throws -> ResultType
    ) rethrows -> ResultType {
      try data.withUnsafeBytes { (bytes: UnsafePointer<UInt8>) in
        try body(UnsafeRawBufferPointer(start: bytes, count: data.count))
      }
    }
  }

  /// The bytes, stretch by stretch. Nothing is copied.
  public var regions: [Region] {
    var regions: [Region] = []
    enumerateBytes { bytes, start, _ in
      regions.append(Region(subdata(in: start..<start + bytes.count), from: start))
    }
    return regions
  }

  /// Shares the bytes of a `Data`: they are not copied, and stay as long as this value.
  ///
  /// *Beyond Apple's API*, where a cast does it.
  public init(_ data: Data) {
    let shared = SharedBytes(data)
    self.init(
      bytesNoCopy: UnsafeRawBufferPointer(shared.bytes), deallocator: .custom(nil) { shared.end() })
  }
}

/// The bytes of a `Data` at one place, until they are given back.
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
