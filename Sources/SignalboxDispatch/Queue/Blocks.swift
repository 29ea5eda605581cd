// Blocks — the forms that take a block, for protocols that ask for one.
//
// A program that hides queues and groups behind a protocol of its own spells the parameter
// as the toolchain does, `@convention(block)`. A plain closure does not fulfil that. Calls
// never end up here: everywhere else the forms without a block are chosen.

import SignalboxRuntime

extension DispatchQueue {
  /// ``async(group:qos:flags:execute:)`` of a block.
  @_disfavoredOverload
  public final func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let closure: @Sendable () -> Void = { work() }
    async(group: group, qos: qos, flags: flags, execute: closure)
  }

  /// ``asyncAfter(deadline:qos:flags:execute:)`` of a block.
  @_disfavoredOverload
  public final func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let closure: @Sendable () -> Void = { work() }
    asyncAfter(deadline: deadline, qos: qos, flags: flags, execute: closure)
  }

  /// ``asyncAfter(wallDeadline:qos:flags:execute:)`` of a block.
  @_disfavoredOverload
  public final func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    let closure: @Sendable () -> Void = { work() }
    asyncAfter(wallDeadline: wallDeadline, qos: qos, flags: flags, execute: closure)
  }
}

extension DispatchGroup {
  /// ``notify(qos:flags:queue:execute:)`` of a block.
  @_disfavoredOverload
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute work: @escaping @convention(block) () -> Void
  ) {
    let closure: () -> Void = { work() }
    notify(qos: qos, flags: flags, queue: queue, execute: closure)
  }
}

extension DispatchWorkItem {
  /// ``notify(qos:flags:queue:execute:)`` of a block.
  @_disfavoredOverload
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute: @escaping @convention(block) () -> Void
  ) {
    let closure: () -> Void = { execute() }
    notify(qos: qos, flags: flags, queue: queue, execute: closure)
  }
}
