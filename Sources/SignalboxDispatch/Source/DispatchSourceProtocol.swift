// DispatchSourceProtocol — the operations of all sources.

import SignalboxRuntime

/// A handler of a source.
///
/// *Differences*: with the toolchain it is a block; here it is a plain closure, which makes no
/// difference to a program.
public typealias DispatchSourceHandler = () -> Void

/// The operations of all kinds of sources.
///
/// A new source is inactive: set its handlers, then call `resume()` or `activate()`. The handlers
/// of one source run on its queue, one at a time. Events that occur while the handler runs or the
/// source is suspended are combined into one call.
///
/// You may call every method from any thread, and from a handler.
///
/// Source: Apple's documentation of `DispatchSourceProtocol`.
public protocol DispatchSourceProtocol {
  /// Sets the handler to call when an event occurs.
  ///
  /// It replaces the previous one at once; a running handler runs to its end.
  func setEventHandler(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets a work item to perform when an event occurs.
  func setEventHandler(handler: DispatchWorkItem)
  /// Sets the handler to call once the source is cancelled and no other handler will be called.
  ///
  /// Use it to close the descriptor of the source.
  func setCancelHandler(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets a work item to perform once the source is cancelled.
  func setCancelHandler(handler: DispatchWorkItem)
  /// Sets the handler to call once, when the source begins to watch for events.
  func setRegistrationHandler(
    qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  /// Sets a work item to perform when the source begins to watch for events.
  func setRegistrationHandler(handler: DispatchWorkItem)

  /// Ends the source: no event handler begins after this call has returned, except on a thread that
  /// was already about to call it.
  ///
  /// The captures of the handlers are freed before `cancel()` returns, or when a running handler
  /// returns. The cancel handler is submitted at once, or when a suspended source is resumed.
  func cancel()
  /// Undoes one ``suspend()``, or activates the source if it is inactive.
  func resume()
  /// Prevents the source from calling its handlers until you balance this call with
  /// ``resume()``.
  func suspend()

  /// What the source watches: a descriptor, a signal or a process; 0 for timers and user data.
  var handle: UInt { get }
  /// The events that it watches for; the meaning depends on the kind.
  var mask: UInt { get }
  /// The events that happened, for the event handler; the meaning depends on the kind.
  var data: UInt { get }
  /// Whether the source was cancelled.
  var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
  /// This source as its class. Compares types, because a cast would cost more than most operations.
  /// Takes no reference, because the caller has one.
  @inline(__always)
  var sourceObject: Unmanaged<DispatchSource> {
    guard Self.self == DispatchSource.self else {
      return Unmanaged.passUnretained(castToSource())  // SAFETY: the caller's reference keeps it.
    }
    // SAFETY: `DispatchSource` has no subclasses, so the type is exactly that.
    return withUnsafePointer(to: self) {
      UnsafeRawPointer($0).load(as: Unmanaged<DispatchSource>.self)
    }
  }

  /// The core behind the source object.
  @inline(__always)
  var core: Unmanaged<SourceCore> { sourceObject._withUnsafeGuaranteedRef { $0.kept } }

  /// This source as its class, with a reference.
  var source: DispatchSource {
    sourceObject.takeUnretainedValue()  // SAFETY: the caller's reference keeps it during the call.
  }

  @inline(never)
  private func castToSource() -> DispatchSource {
    guard let source = self as? DispatchSource else {
      clientBug(
        "\(type(of: self)) conforms to DispatchSourceProtocol but is not a source: implement all "
          + "of the protocol's methods in your own type.")
    }
    return source
  }

  /// Sets the handler to call when an event occurs; nil for none.
  ///
  /// - Parameters:
  ///   - qos: the quality of service of the calls, if it is above the queue's.
  ///   - flags: as for a work item.
  ///   - handler: the handler.
  @_specialize(where Self == DispatchSource)
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: consuming DispatchSourceHandler?
  ) {
    let new = SourceHandler.word(handler, flags)
    core._withUnsafeGuaranteedRef { $0.setEventHandler(new, qos, flags) }
  }

  /// Sets a work item to perform when an event occurs.
  public func setEventHandler(handler: DispatchWorkItem) {
    let new = SourceHandler.word(handler)
    core._withUnsafeGuaranteedRef { $0.setEventHandler(new, handler.qos, handler.flags) }
  }

  /// Sets the handler to call once the source is cancelled and no other handler will be called.
  ///
  /// - Parameters:
  ///   - qos: ignored; the call has the quality of service of the source's events.
  ///   - flags: as for a work item.
  ///   - handler: the handler; nil for none.
  public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: consuming DispatchSourceHandler?
  ) {
    let new = SourceHandler.word(handler, flags)
    core._withUnsafeGuaranteedRef { $0.setCancelHandler(new) }
  }

  /// Sets a work item to perform once the source is cancelled.
  public func setCancelHandler(handler: DispatchWorkItem) {
    let new = SourceHandler.word(handler)
    core._withUnsafeGuaranteedRef { $0.setCancelHandler(new) }
  }

  /// Sets the handler to call once, when the source begins to watch for events.
  ///
  /// - Parameters:
  ///   - qos: ignored; the call has the quality of service of the source's events.
  ///   - flags: as for a work item.
  ///   - handler: the handler; nil for none.
  public func setRegistrationHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: consuming DispatchSourceHandler?
  ) {
    let new = SourceHandler.word(handler, flags)
    core._withUnsafeGuaranteedRef { $0.setRegistrationHandler(new) }
  }

  /// Sets a work item to perform when the source begins to watch for events.
  public func setRegistrationHandler(handler: DispatchWorkItem) {
    let new = SourceHandler.word(handler)
    core._withUnsafeGuaranteedRef { $0.setRegistrationHandler(new) }
  }

  /// Activates an inactive source, which then begins to watch for events. It does nothing on an
  /// active one.
  public func activate() { sourceObject._withUnsafeGuaranteedRef { $0.activate() } }
  @_specialize(where Self == DispatchSource)
  public func cancel() { sourceObject._withUnsafeGuaranteedRef { $0.end() } }
  @_specialize(where Self == DispatchSource)
  public func resume() { sourceObject._withUnsafeGuaranteedRef { $0.resume() } }
  public func suspend() { sourceObject._withUnsafeGuaranteedRef { $0.suspend() } }

  public var handle: UInt { core._withUnsafeGuaranteedRef { $0.handle } }
  public var mask: UInt { core._withUnsafeGuaranteedRef { $0.mask } }
  public var data: UInt { core._withUnsafeGuaranteedRef { $0.data } }
  public var isCancelled: Bool { core._withUnsafeGuaranteedRef { $0.isCancelled } }
}
