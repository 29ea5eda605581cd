// DispatchSourceProtocol — what all sources can do.

import SignalboxRuntime

/// What a source calls.
///
/// *Differences*: with the toolchain it is a block; here it is a plain closure, which a
/// program cannot tell apart.
public typealias DispatchSourceHandler = () -> Void

/// What all kinds of sources have in common.
///
/// A source is made inactive: set its handlers, then call `resume()` or `activate()`.
/// Its handlers run on the queue that was given when it was made, one at a time, each
/// source for itself. Events that come while the handler runs or the source is
/// suspended fall together into one call.
///
/// Every method may be called from any thread, and from within a handler.
///
/// Source: Apple's documentation of `DispatchSourceProtocol`.
public protocol DispatchSourceProtocol {
  /// Sets what is called when an event has come.
  ///
  /// It takes the place of the one before at once; one that is running runs to its end.
  func setEventHandler(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets a work item to be performed when an event has come.
  func setEventHandler(handler: DispatchWorkItem)
  /// Sets what is called once the source is cancelled and nothing else will be called.
  ///
  /// It is the place to close the descriptor that the source was made for.
  func setCancelHandler(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets a work item to be performed once the source is cancelled.
  func setCancelHandler(handler: DispatchWorkItem)
  /// Sets what is called once, when the source begins to watch for events.
  func setRegistrationHandler(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets a work item to be performed when the source begins to watch for events.
  func setRegistrationHandler(handler: DispatchWorkItem)

  /// Ends the source: no event handler begins after this has returned, save on the
  /// thread that is about to call it.
  ///
  /// What the handlers captured is freed before `cancel()` returns, or when the running
  /// handler does. The cancel handler is submitted at once; if the source is suspended,
  /// when it is resumed.
  func cancel()
  /// Takes back one ``suspend()``, or begins to watch if the source is inactive.
  func resume()
  /// Keeps the source from calling its handlers until ``resume()`` was called as often.
  func suspend()

  /// What the source watches: a descriptor, a signal, a process; 0 for timers and user
  /// data.
  var handle: UInt { get }
  /// Which events it watches for, by its kind.
  var mask: UInt { get }
  /// What has happened, by its kind. For the event handler.
  var data: UInt { get }
  /// Whether the source was cancelled.
  var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
  /// The source that this is. A comparison and no cast, which would cost more than most of
  /// what is done with it; and no reference, which the caller has.
  @inline(__always)
  var face: Unmanaged<DispatchSource> {
    guard Self.self == DispatchSource.self else {
      return Unmanaged.passUnretained(castToSource())  // SAFETY: the caller's reference keeps it.
    }
    // SAFETY: `DispatchSource` has no subclasses, so the type is exactly that.
    return withUnsafePointer(to: self) {
      UnsafeRawPointer($0).load(as: Unmanaged<DispatchSource>.self)
    }
  }

  /// What is behind it.
  @inline(__always)
  var core: Unmanaged<SourceCore> { face._withUnsafeGuaranteedRef { $0.kept } }

  /// The source that this is, with a reference.
  var source: DispatchSource {
    face.takeUnretainedValue()  // SAFETY: the caller's reference keeps it meanwhile.
  }

  @inline(never)
  private func castToSource() -> DispatchSource {
    guard let source = self as? DispatchSource else {
      clientBug(
        "\(type(of: self)) conforms to DispatchSourceProtocol and is no source: a type of your own "
          + "must have all of the protocol's methods itself.")
    }
    return source
  }

  /// Sets what is called when an event has come; nothing, if nil.
  ///
  /// - Parameters:
  ///   - qos: how urgent its calls are, if more than its queue.
  ///   - flags: as with a work item.
  ///   - handler: what is called.
  @_specialize(where Self == DispatchSource)
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: consuming DispatchSourceHandler?
  ) {
    let new = SourceHandler.word(handler, flags)
    core._withUnsafeGuaranteedRef { $0.setEventHandler(new, qos, flags) }
  }

  /// Sets a work item to be performed when an event has come.
  public func setEventHandler(handler: DispatchWorkItem) {
    let new = SourceHandler.word(handler)
    core._withUnsafeGuaranteedRef { $0.setEventHandler(new, handler.qos, handler.flags) }
  }

  /// Sets what is called once the source is cancelled and nothing else will be called.
  ///
  /// - Parameters:
  ///   - qos: accepted; the call is as urgent as the source's events.
  ///   - flags: as with a work item.
  ///   - handler: what is called; nothing, if nil.
  public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: consuming DispatchSourceHandler?
  ) {
    let new = SourceHandler.word(handler, flags)
    core._withUnsafeGuaranteedRef { $0.setCancelHandler(new) }
  }

  /// Sets a work item to be performed once the source is cancelled.
  public func setCancelHandler(handler: DispatchWorkItem) {
    let new = SourceHandler.word(handler)
    core._withUnsafeGuaranteedRef { $0.setCancelHandler(new) }
  }

  /// Sets what is called once, when the source begins to watch for events.
  ///
  /// - Parameters:
  ///   - qos: accepted; the call is as urgent as the source's events.
  ///   - flags: as with a work item.
  ///   - handler: what is called; nothing, if nil.
  public func setRegistrationHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: consuming DispatchSourceHandler?
  ) {
    let new = SourceHandler.word(handler, flags)
    core._withUnsafeGuaranteedRef { $0.setRegistrationHandler(new) }
  }

  /// Sets a work item to be performed when the source begins to watch for events.
  public func setRegistrationHandler(handler: DispatchWorkItem) {
    let new = SourceHandler.word(handler)
    core._withUnsafeGuaranteedRef { $0.setRegistrationHandler(new) }
  }

  /// Lets a source that was made begin to watch for events; nothing on an active one.
  public func activate() { face._withUnsafeGuaranteedRef { $0.activate() } }
  @_specialize(where Self == DispatchSource)
  public func cancel() { face._withUnsafeGuaranteedRef { $0.end() } }
  @_specialize(where Self == DispatchSource)
  public func resume() { face._withUnsafeGuaranteedRef { $0.resume() } }
  public func suspend() { face._withUnsafeGuaranteedRef { $0.suspend() } }

  public var handle: UInt { core._withUnsafeGuaranteedRef { $0.handle } }
  public var mask: UInt { core._withUnsafeGuaranteedRef { $0.mask } }
  public var data: UInt { core._withUnsafeGuaranteedRef { $0.data } }
  public var isCancelled: Bool { core._withUnsafeGuaranteedRef { $0.isCancelled } }
}
