// CFRunLoopSourceContext1 — what a source of version 1 is made with.
//
// Apple's function takes a pointer to a context of version 0, behind which the version tells
// of this one. So the two are laid out alike up to `getPort`, and where the other has the
// address of its `cancel`'s code, this has a number that is no code's: a context that only says
// that it is of version 1 is told from one that is.

import SignalboxRuntime

/// The call-backs of an input source that wakes its loop by itself, and the `info` that they
/// are given.
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
/// *Differences*: the port is a descriptor, as in the toolchain: the source is performed while
/// a read of it would not wait, and nothing is read before. The toolchain reads eight bytes
/// from it itself, which only an eventfd or a timerfd bears. The call-backs are Swift closures.
///
/// Source: Apple's documentation of `CFRunLoopSourceContext1`.
public struct CFRunLoopSourceContext1 {
  /// 1.
  public var version: CFIndex
  /// The program's own pointer.
  public var info: UnsafeMutableRawPointer!
  /// Called once, when the source is made; what it returns takes the pointer's place.
  public var retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!
  /// Called once, when nothing refers to the source any more.
  public var release: ((UnsafeRawPointer?) -> Void)!
  /// What the pointer means, for the source's description.
  public var copyDescription: ((UnsafeRawPointer?) -> CFString?)!
  /// Whether two sources of one order are equal, by their pointers. Without it only a source
  /// and itself are.
  public var equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)!
  /// A hash that goes with `equal`.
  public var hash: ((UnsafeRawPointer?) -> CFHashCode)!
  /// Called on the thread that adds the source to a mode: the descriptor to watch, or -1 for
  /// none. It stays the source's until that has left all modes.
  public var getPort: ((UnsafeMutableRawPointer?) -> Int32)!
  private let mark = CFRunLoopSourceContext1.marked
  /// Called on the loop's thread while the descriptor can be read, once a pass: also when
  /// the other end is closed.
  public var perform: ((UnsafeMutableRawPointer?) -> Void)!

  private static var marked: UInt { 1 }

  /// A context of nothing.
  public init() {
    self.init(
      version: 0, info: nil, retain: nil, release: nil, copyDescription: nil, equal: nil,
      hash: nil, getPort: nil, perform: nil)
  }

  /// A context with these call-backs; those that are not given are `nil`.
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
  /// The context of version 1 that `pointer` is to, if it is to one and that says so.
  static func of(
    _ pointer: UnsafeMutablePointer<CFRunLoopSourceContext>
  ) -> UnsafeMutablePointer<CFRunLoopSourceContext1>? {
    guard pointer.pointee.version == 1 else { return nil }
    let raw = UnsafeMutableRawPointer(pointer)
    let place = MemoryLayout<CFRunLoopSourceContext1>.offset(of: \.mark)!
    // SAFETY: within the smaller of the two.
    guard raw.load(fromByteOffset: place, as: UInt.self) == marked else { return nil }
    // SAFETY: the mark is written by nothing but this type.
    return raw.assumingMemoryBound(to: CFRunLoopSourceContext1.self)
  }
}

extension CFRunLoopSourceContext1 {
  /// The source that it describes.
  func makeSource(order: CFIndex) -> CFRunLoopSource {
    if version != 1 {
      clientBug(
        "a CFRunLoopSource was made with a CFRunLoopSourceContext1 of the version \(version): it "
          + "is 1 there. Set the version to 1, or make the source with a CFRunLoopSourceContext.")
    }
    return DescriptorSource(
      order: order,
      context: ItemContext(
        info, retain: retain, release: release, copyDescription: copyDescription),
      calls: DescriptorCalls(equal: equal, hash: hash, getPort: getPort, perform: perform))
  }

  /// Writes into it what a source has kept.
  mutating func fill(from source: CFRunLoopSource) {
    guard version == 1, let source = source as? DescriptorSource else {
      clientBug(
        "the context of a CFRunLoopSource was asked for in the version \(version), in a "
          + "CFRunLoopSourceContext1: the source is of the version \(source.version). Set the "
          + "version to the source's, in the context that is meant for it.")
    }
    let (kept, calls) = (source.context, source.calls)
    self = CFRunLoopSourceContext1(
      version: 1, info: kept.info, retain: kept.retain, release: kept.release,
      copyDescription: kept.copyDescription, equal: calls.equal, hash: calls.hash,
      getPort: calls.getPort, perform: calls.perform)
  }
}
