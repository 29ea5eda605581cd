// CFRunLoopSourceContext — the parameters of a version 0 source.

import SignalboxRuntime

/// The callbacks of an input source and the `info` pointer that they receive.
///
/// *Differences*: the callbacks are Swift closures, because a C function cannot have a parameter
/// of the type `CFRunLoop`. They may capture values.
///
/// Source: Apple's documentation of `CFRunLoopSourceContext`.
public struct CFRunLoopSourceContext {
  /// The version, which must be 0.
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
  /// Called on the thread that adds the source, for each mode that it is added to.
  public var schedule: ((UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void)!
  /// Called for each mode that the source leaves because it is removed or invalidated, or
  /// because the loop's thread ends. Runs on the thread where that happens.
  public var cancel: ((UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void)!
  /// Called on the loop's thread after the source was signalled.
  public var perform: ((UnsafeMutableRawPointer?) -> Void)!

  /// Creates an empty context.
  public init() {
    self.init(
      version: 0, info: nil, retain: nil, release: nil, copyDescription: nil, equal: nil,
      hash: nil, schedule: nil, cancel: nil, perform: nil)
  }

  /// Creates a context with these callbacks. Pass `nil` for those you don't need.
  public init(
    version: CFIndex, info: UnsafeMutableRawPointer!,
    retain: ((UnsafeRawPointer?) -> UnsafeRawPointer?)!,
    release: ((UnsafeRawPointer?) -> Void)!,
    copyDescription: ((UnsafeRawPointer?) -> CFString?)!,
    equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)!,
    hash: ((UnsafeRawPointer?) -> CFHashCode)!,
    schedule: ((UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void)!,
    cancel: ((UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void)!,
    perform: ((UnsafeMutableRawPointer?) -> Void)!
  ) {
    self.version = version
    self.info = info
    self.retain = retain
    self.release = release
    self.copyDescription = copyDescription
    self.equal = equal
    self.hash = hash
    self.schedule = schedule
    self.cancel = cancel
    self.perform = perform
  }

  func makeSource(order: CFIndex) -> CFRunLoopSource {
    if version != 0 {
      clientBug(
        "a CFRunLoopSource was created with a CFRunLoopSourceContext of version \(version): it "
          + "must be version 0. Set the version to 0, or use a CFRunLoopSourceContext1.")
    }
    return CFRunLoopSource(
      order: order,
      context: ItemContext(
        info, retain: retain, release: release, copyDescription: copyDescription),
      callBacks: SourceCallBacks(
        equal: equal, hash: hash, schedule: schedule, cancel: cancel, perform: perform))
  }

  mutating func fill(from source: CFRunLoopSource) {
    if version != 0 || source.version != 0 {
      clientBug(
        "the context of a CFRunLoopSource was requested as version \(version), but it has version "
          + "\(source.version). Pass the type of context for that version, with the version set.")
    }
    let (kept, calls) = (source.context, source.callBacks)
    self = CFRunLoopSourceContext(
      version: 0, info: kept.info, retain: kept.retain, release: kept.release,
      copyDescription: kept.copyDescription, equal: calls.equal, hash: calls.hash,
      schedule: calls.schedule, cancel: calls.cancel, perform: calls.perform)
  }
}

struct SourceCallBacks {
  typealias Scheduling = (UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void

  var equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)?
  var hash: ((UnsafeRawPointer?) -> CFHashCode)?
  var schedule: Scheduling?
  var cancel: Scheduling?
  var perform: ((UnsafeMutableRawPointer?) -> Void)?
}
