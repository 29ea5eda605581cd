// DispatchSource+Calls — how the C interface of Dispatch makes sources and sets their handlers.
//
// C code keeps a source alive with its own references, and uses the source in handlers without a
// reference. So a handler that is set here needs no reference either: see `giveUp`.

import SignalboxRuntime

extension DispatchSource {
  /// The kinds of sources, with what they watch.
  package enum Kind {
    case adding, combining, replacing
    case reading(Int32), writing(Int32), signal(Int32)
    /// A timer whose due time `schedule` sets.
    case timer(flags: UInt)
    /// A timer that fires at each multiple of a period, in nanoseconds.
    case interval(period: UInt64, handle: UInt, flags: UInt)
    case process(Int32, ProcessEvent)
    case file(Int32, FileSystemEvent)
    case memoryPressure(MemoryPressureEvent)
  }

  /// Creates a source, which is inactive.
  package static func make(_ kind: Kind, queue: DispatchQueue?) -> DispatchSource {
    DispatchSource(core(kind, queue))
  }

  private static func core(_ kind: Kind, _ queue: DispatchQueue?) -> SourceCore {
    switch kind {
    case .adding: UserDataSource(.adding, queue: queue)
    case .combining: UserDataSource(.combining, queue: queue)
    case .replacing: UserDataSource(.replacing, queue: queue)
    case .reading(let descriptor): DescriptorSource(.reading, descriptor, queue: queue)
    case .writing(let descriptor): DescriptorSource(.writing, descriptor, queue: queue)
    case .signal(let number): SignalSource(signal: number, queue: queue)
    case .timer(let flags): TimerSource(mask: flags, target: TargetReference(queue))
    case .interval(let period, let handle, let flags):
      TimerSource(period: period, handle: handle, mask: flags, target: TargetReference(queue))
    case .process(let process, let events):
      ProcessSource(process: process, events: events, queue: queue)
    case .file(let descriptor, let events):
      FileSystemObjectSource(descriptor, events, queue: queue)
    case .memoryPressure(let events): MemoryPressureSource(events, queue: queue)
    }
  }

  // MARK: Handlers

  package enum Handler { case event, cancel, registration }

  /// Sets a handler, or none for nil.
  package final func set(_ handler: Handler, _ work: consuming (() -> Void)?) {
    set(handler, SourceHandler.word(work), .unspecified, [])
  }

  /// Sets a work item to perform.
  package final func set(_ handler: Handler, _ item: DispatchWorkItem) {
    set(handler, SourceHandler.word(item), item.qos, item.flags)
  }

  /// Sets a function that is called with the source's context. Nil removes the handler.
  package final func set(_ handler: Handler, _ function: dispatch_function_t?) {
    set(handler, SourceHandler.word(function, ofKept: self), .unspecified, [])
  }

  private func set(
    _ handler: Handler, _ word: HandlerWord, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags
  ) {
    switch handler {
    case .event: core.setEventHandler(word, qos, flags)
    case .cancel: core.setCancelHandler(word)
    case .registration: core.setRegistrationHandler(word)
    }
  }

  /// Whether the source was never activated.
  package final var isInactive: Bool { core.state.snapshot.has(SourceState.Bit.inactive) }

  /// Makes it a misuse to release the source before it is cancelled.
  package final func mustCancel() {
    core.state.change { $0.bits | SourceState.Bit.mustCancel }
  }

  // MARK: Ending

  /// Cancels the source, without a reference that keeps it alive during the call: see `giveUp`.
  package final func cancelFromC() {
    kept._withUnsafeGuaranteedRef { $0.cancel(mayBeAwaited: true) }
  }

  /// Cancels the source, and waits until no handler runs and the source is uninstalled.
  ///
  /// - Parameter call: the function that the program called.
  package final func cancelAndWait(_ call: StaticString) { core.cancelAndWait(call) }

  // MARK: Timers and data

  /// The kind, for messages: "timer source".
  package final var kindName: String { core.kindName }

  /// Whether `schedule` may set when the source is due.
  package final var takesSchedule: Bool {
    kept._withUnsafeGuaranteedRef { core in
      // SAFETY: the type was just compared.
      type(of: core) == TimerSource.self
        && unsafeDowncast(core, to: TimerSource.self).takesSchedule
    }
  }

  /// Whether `merge` may give the source data.
  package final var takesData: Bool {
    kept._withUnsafeGuaranteedRef { type(of: $0) == UserDataSource.self }
  }
}
