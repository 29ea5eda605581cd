// NamedItems — items with a name, which recordings show: each run is an interval of that name.

import SignalboxDiagnostics

extension DispatchWorkItem {
  /// Creates a work item with a name. While the process is recorded, each run of the item is an
  /// interval with this name, as `TraceRecorder.interval` makes it.
  ///
  /// ```swift
  /// let item = DispatchWorkItem(name: "thumbnail", details: file.name) { draw(file) }
  /// queue.asyncAfter(deadline: .now() + 1, execute: item)
  /// ```
  ///
  /// `details` are kept with the item, and recorded with each run.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameters:
  ///   - name: what the item does. Truncated after 1024 bytes.
  ///   - details: what distinguishes this item from others of the same name. Truncated after 1024
  ///     bytes.
  ///   - qos: as for an item without a name.
  ///   - flags: as for an item without a name.
  ///   - block: the work.
  public convenience init(
    name: StaticString, details: String = "", qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], block: @escaping () -> Void
  ) {
    self.init(qos: qos, flags: flags) { TraceCapture.interval(name, details, block) }
  }
}

extension DispatchQueue {
  /// Submits `work` with a name and returns at once. While the process is recorded, its run is an
  /// interval with this name, as `TraceRecorder.interval` makes it.
  ///
  /// ```swift
  /// queue.async(name: "thumbnail") { draw(file) }
  /// ```
  ///
  /// It works like ``async(group:qos:flags:execute:)``, with a closure around `work`.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameters:
  ///   - name: what the item does. Truncated after 1024 bytes.
  ///   - details: what distinguishes this item from others of the same name. Truncated after 1024
  ///     bytes.
  ///   - group: a group that the item leaves when `work` has returned.
  ///   - qos: the quality of service of this item.
  ///   - flags: `.barrier` runs the item alone on a concurrent queue; the other flags select
  ///     which quality of service applies.
  ///   - work: the closure to run. It is freed when it has returned.
  public final func async(
    name: StaticString, details: String = "", group: DispatchGroup? = nil,
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable () -> Void
  ) {
    async(group: group, qos: qos, flags: flags) { TraceCapture.interval(name, details, work) }
  }
}

extension TraceCapture {
  /// Calls the work of an item, as an interval if the process is recorded.
  fileprivate static func interval(_ name: StaticString, _ details: String, _ work: () -> Void) {
    let interval = beginInterval(name, details, isScoped: true)
    work()
    endInterval(interval)
  }
}
