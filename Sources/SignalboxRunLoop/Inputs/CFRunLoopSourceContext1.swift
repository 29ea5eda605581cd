// CFRunLoopSourceContext1 — the parameters of a version 1 source.
//
// Apple's function takes a pointer to a version 0 context and reads the version to find out
// whether it really has this type. The two types therefore share a layout up to `getPort`. Where
// version 0 stores the code address of `cancel`, this type stores a number that is never a code
// address. The number distinguishes a real version 1 context from a version 0 context whose
// version field was set to 1.

import SignalboxRuntime

/// The callbacks of an input source that wakes its loop by itself, and the `info` pointer that
/// they receive.
///
/// ```swift
/// var context = CFRunLoopSourceContext1()
/// context.version = 1
/// context.getPort = { _ in socket }
/// context.perform = { _ in readWhatHasCome(from: socket) }
/// let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
/// CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
/// ```
///
/// *Differences*: the port is a descriptor, as in the toolchain. The loop performs the source
/// while the descriptor is readable, and does not read from it. The toolchain reads eight bytes
/// itself, which works only for an eventfd or a timerfd. The callbacks are Swift closures.
///
/// Source: Apple's documentation of `CFRunLoopSourceContext1`.
public struct CFRunLoopSourceContext1 {
  /// The version, which must be 1.
  public var version: CFIndex
  /// A pointer of your own, passed to every callback.
  public var info: UnsafeMutableRawPointer!
  /// Called once, when the source is created. The source keeps the pointer that it returns.
  public var retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!
  /// Called once, when nothing refers to the source any more.
  public var release: ((UnsafeRawPointer?) -> Void)!
  /// Describes the pointer, for the source's description.
  public var copyDescription: ((UnsafeRawPointer?) -> CFString?)!
  /// Compares the pointers of two sources of the same order. Without it, a source equals only
  /// itself.
  public var equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)!
  /// A hash that is consistent with `equal`.
  public var hash: ((UnsafeRawPointer?) -> CFHashCode)!
  /// Called on the thread that adds the source to a mode. Returns the descriptor to watch, or
  /// -1 for none. The source keeps the descriptor until it has left all modes.
  public var getPort: ((UnsafeMutableRawPointer?) -> Int32)!
  private let mark = CFRunLoopSourceContext1.marked
  /// Called on the loop's thread, once a pass, while the descriptor is readable. A descriptor
  /// whose other end is closed counts as readable.
  public var perform: ((UnsafeMutableRawPointer?) -> Void)!

  private static var marked: UInt { 1 }

  /// Creates an empty context.
  public init() {
    self.init(
      version: 0, info: nil, retain: nil, release: nil, copyDescription: nil, equal: nil,
      hash: nil, getPort: nil, perform: nil)
  }

  /// Creates a context with these callbacks. Pass `nil` for those you don't need.
  public init(
    version: CFIndex, info: UnsafeMutableRawPointer!,
    retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!,
    release: ((UnsafeRawPointer?) -> Void)!,
    copyDescription: ((UnsafeRawPointer?) -> CFString?)!,
    equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)!,
    hash: ((UnsafeRawPointer?) -> CFHashCode)!,
    getPort: ((UnsafeMutableRawPointer?) -> Int32)!,
    perform: ((UnsafeMutableRawPointer?) -> Void)!
  ) {
    self.version = version
    self.info = info
    self.retain = retain
    self.release = release
    self.copyDescription = copyDescription
    self.equal = equal
    self.hash = hash
    self.getPort = getPort
    self.perform = perform
  }
}

extension CFRunLoopSourceContext1 {
  /// The version 1 context at `pointer`, or nil if there is none or its version is not 1.
  static func of(
    _ pointer: UnsafeMutablePointer<CFRunLoopSourceContext>
  ) -> UnsafeMutablePointer<CFRunLoopSourceContext1>? {
    guard pointer.pointee.version == 1 else { return nil }
    let raw = UnsafeMutableRawPointer(pointer)
    let offset = MemoryLayout<CFRunLoopSourceContext1>.offset(of: \.mark)!
    // SAFETY: the offset lies within the smaller of the two types.
    guard raw.load(fromByteOffset: offset, as: UInt.self) == marked else { return nil }
    // SAFETY: only this type writes the mark.
    return raw.assumingMemoryBound(to: CFRunLoopSourceContext1.self)
  }
}

extension CFRunLoopSourceContext1 {
  func makeSource(order: CFIndex) -> CFRunLoopSource {
    if version != 1 {
      clientBug(
        "a CFRunLoopSource was created with a CFRunLoopSourceContext1 of version \(version): it "
          + "must be version 1. Set the version to 1, or use a CFRunLoopSourceContext.")
    }
    return DescriptorSource(
      order: order,
      context: ItemContext(
        info, retain: retain, release: release, copyDescription: copyDescription),
      calls: DescriptorCalls(equal: equal, hash: hash, getPort: getPort, perform: perform))
  }

  mutating func fill(from source: CFRunLoopSource) {
    guard version == 1, let source = source as? DescriptorSource else {
      clientBug(
        "the context of a CFRunLoopSource was requested as version \(version), in a "
          + "CFRunLoopSourceContext1, but it has version \(source.version). Pass the type of context "
          + "for that version, with the version set.")
    }
    let (kept, calls) = (source.context, source.calls)
    self = CFRunLoopSourceContext1(
      version: 1, info: kept.info, retain: kept.retain, release: kept.release,
      copyDescription: kept.copyDescription, equal: calls.equal, hash: calls.hash,
      getPort: calls.getPort, perform: calls.perform)
  }
}
