// CFRunLoopMode+CFString — creates a mode from a string of the toolchain's Core Foundation,
// where the two are one type.

public import CoreFoundation
public import SignalboxRunLoop

extension SignalboxRunLoop.CFRunLoopMode {
  /// Creates the mode with this name.
  ///
  /// ```swift
  /// CFRunLoopRunInMode(CFRunLoopMode(name), 1, true)
  /// ```
  ///
  /// Call it from any thread. It copies the name.
  ///
  /// *Differences*: the toolchain's `CFRunLoopMode` is `CFString` itself.
  public init(_ name: CoreFoundation.CFString) {
    let encoding = CFStringBuiltInEncodings.UTF8.rawValue
    let size = 1 + CFStringGetMaximumSizeForEncoding(CFStringGetLength(name), encoding)
    let bytes = [CChar](unsafeUninitializedCapacity: size) { buffer, count in
      let isWhole = CFStringGetCString(name, buffer.baseAddress, size, encoding)
      count = isWhole ? buffer.firstIndex(of: 0)! : 0
    }
    self.init(String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }
}
