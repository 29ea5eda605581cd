// CFRunLoopTimerContext — the parameters of a C-style timer.

import SignalboxRuntime

/// The `info` pointer of a timer's callback, with its retain and release functions.
///
/// Source: Apple's documentation of `CFRunLoopTimerContext`.
public struct CFRunLoopTimerContext {
  /// The version, which must be 0.
  public var version: CFIndex
  /// A pointer of your own, passed to the callback.
  public var info: UnsafeMutableRawPointer!
  /// Called once, when the timer is created. The timer keeps the pointer that it returns.
  public var retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!
  /// Called once, when the timer is invalid or freed and no callback is running.
  public var release: ((UnsafeRawPointer?) -> Void)!
  /// Describes the pointer, for the timer's description.
  public var copyDescription: ((UnsafeRawPointer?) -> CFString?)!

  /// Creates an empty context.
  public init() {
    self.init(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
  }

  /// Creates a context with these callbacks. Pass `nil` for those you don't need.
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

  /// Checks the version and returns what the timer keeps.
  func checked() -> ItemContext {
    checkVersion("made with")
    return ItemContext(info, retain: retain, release: release, copyDescription: copyDescription)
  }

  private func checkVersion(_ what: StaticString) {
    if version == 0 { return }
    clientBug(
      "a CFRunLoopTimer was \(what) a context of version \(version): only version 0 is supported. "
        + "Set the version to 0.")
  }

  mutating func fill(from kept: ItemContext?) {
    checkVersion("asked for")
    self = CFRunLoopTimerContext(
      version: 0, info: kept?.info, retain: kept?.retain, release: kept?.release,
      copyDescription: kept?.copyDescription)
  }
}

/// The callback of a timer with a context.
///
/// Source: Apple's documentation of `CFRunLoopTimerCallBack`.
public typealias CFRunLoopTimerCallBack = (CFRunLoopTimer?, UnsafeMutableRawPointer?) -> Void
