// CFRunLoopSourceContext — what a source of version 0 is made with.

import SignalboxRuntime

/// The call-backs of an input source, and the `info` that they are given.
///
/// *Differences*: the call-backs are Swift closures, since a C function could not take the
/// loop; they may capture.
///
/// Source: Apple's documentation of `CFRunLoopSourceContext`.
public struct CFRunLoopSourceContext {
  /// 0.
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
  /// Called on the thread that adds the source, for each mode that it is added to.
  public var schedule: ((UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void)!
  /// Called for each mode that the source leaves: removed, invalidated, or because the loop's
  /// thread ends. On the thread on which that happens.
  public var cancel: ((UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void)!
  /// Called on the loop's thread when the source was signalled.
  public var perform: ((UnsafeMutableRawPointer?) -> Void)!

  /// A context of nothing.
  public init() {
    self.init(
      version: 0, info: nil, retain: nil, release: nil, copyDescription: nil, equal: nil,
      hash: nil, schedule: nil, cancel: nil, perform: nil)
  }

  /// A context with these call-backs; those that are not given are `nil`.
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

  /// The source that it describes.
  func makeSource(order: CFIndex) -> CFRunLoopSource {
    if version != 0 {
      clientBug(
        "a CFRunLoopSource was made with a CFRunLoopSourceContext of the version \(version): it is "
          + "0 there. Set the version to 0, or make the source with a CFRunLoopSourceContext1.")
    }
    return CFRunLoopSource(
      order: order,
      context: ItemContext(
        info, retain: retain, release: release, copyDescription: copyDescription),
      callBacks: SourceCallBacks(
        equal: equal, hash: hash, schedule: schedule, cancel: cancel, perform: perform))
  }

  /// Writes into it what a source has kept.
  mutating func fill(from source: CFRunLoopSource) {
    if version != 0 || source.version != 0 {
      clientBug(
        "the context of a CFRunLoopSource was asked for in the version \(version): it is of the "
          + "version \(source.version). Set the version to that, in the context that is meant for "
          + "it.")
    }
    let (kept, calls) = (source.context, source.callBacks)
    self = CFRunLoopSourceContext(
      version: 0, info: kept.info, retain: kept.retain, release: kept.release,
      copyDescription: kept.copyDescription, equal: calls.equal, hash: calls.hash,
      schedule: calls.schedule, cancel: calls.cancel, perform: calls.perform)
  }
}

/// What a source calls.
struct SourceCallBacks {
  typealias Scheduling = (UnsafeMutableRawPointer?, CFRunLoop?, CFRunLoopMode?) -> Void

  var equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)?
  var hash: ((UnsafeRawPointer?) -> CFHashCode)?
  var schedule: Scheduling?
  var cancel: Scheduling?
  var perform: ((UnsafeMutableRawPointer?) -> Void)?
}
