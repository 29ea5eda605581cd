// CFRunLoopObserverContext — what a C-style observer is made with.

import SignalboxRuntime

/// The `info` that an observer's call-back is given, and how it is kept.
///
/// Source: Apple's documentation of `CFRunLoopObserverContext`.
public struct CFRunLoopObserverContext {
  /// 0.
  public var version: CFIndex
  /// The program's own pointer.
  public var info: UnsafeMutableRawPointer!
  /// Called once, when the observer is made; what it returns takes the pointer's place.
  public var retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!
  /// Called once, when the observer is invalid or gone and no call-back is under way.
  public var release: ((UnsafeRawPointer?) -> Void)!
  /// What the pointer means, for the observer's description.
  public var copyDescription: ((UnsafeRawPointer?) -> CFString?)!

  /// A context of nothing.
  public init() {
    self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
  }

  /// A context with these call-backs; those that are not given are `nil`.
  public init(
    version: CFIndex, info: UnsafeMutableRawPointer!,
    retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!,
    release: ((UnsafeRawPointer?) -> Void)!,
    copyDescription: ((UnsafeRawPointer?) -> CFString?)!
  ) {
    self.version = version
    self.info = info
    self.retain = retain
    self.release = release
    self.copyDescription = copyDescription
  }

  /// What the observer keeps of it.
  func checked() -> ItemContext {
    checkVersion("made with")
    return ItemContext(info, retain: retain, release: release, copyDescription: copyDescription)
  }

  private func checkVersion(_ what: StaticString) {
    if version == 0 { return }
    clientBug(
      "a CFRunLoopObserver was \(what) a context of the version \(version): there is 0 only. Set "
        + "the version to 0.")
  }

  /// Writes into it what an observer has kept.
  mutating func fill(from kept: ItemContext?) {
    checkVersion("asked for")
    self = CFRunLoopObserverContext(
      version: 0, info: kept?.info, retain: kept?.retain, release: kept?.release,
      copyDescription: kept?.copyDescription)
  }
}

/// What an observer with a context calls.
///
/// Source: Apple's documentation of `CFRunLoopObserverCallBack`.
public typealias CFRunLoopObserverCallBack = (
  CFRunLoopObserver?, CFRunLoopActivity, UnsafeMutableRawPointer?
) -> Void
