// DispatchQueue+Calls — how the C interface of Dispatch submits its blocks, functions and work
// items.
//
// C code may give up its last reference to a queue in the item that it submits. `Submissions`
// keeps the queue until the submission is done.

import CSignalbox
public import SignalboxRuntime

/// A C function to call once with its context.
@frozen @usableFromInline
package struct FunctionCall {
  @frozen @usableFromInline
  enum Form {
    /// `release` frees the context after the call; nil if nothing is to be freed.
    case function(
      dispatch_function_t, UnsafeMutableRawPointer?, release: dispatch_function_t?)
    case placed(UnsafeMutableRawPointer, Item.Function)
  }
  @usableFromInline let form: Form

  @inlinable @inline(__always)
  package init(
    _ function: @escaping dispatch_function_t, _ context: UnsafeMutableRawPointer?,
    release: dispatch_function_t? = nil
  ) {
    form = .function(function, context, release: release)
  }

  /// A context that contains memory for the item: `PlacedItem.size` bytes at `place`, after the
  /// part that the function uses. `run` is called once with `place`, and frees all of that memory.
  @inlinable @inline(__always)
  package init(at place: UnsafeMutableRawPointer, run: @escaping Item.Function) {
    form = .placed(place, run)
  }

  @inline(__always)
  func makeItem(_ flags: Item.Flags, group: Unmanaged<DispatchGroup>?) -> ItemPointer {
    switch form {
    case .function(let function, let context, let release):
      FunctionItem.make(function, context, release: release, flags: flags, group: group)
    case .placed(let place, let run): PlacedItem.make(at: place, run, flags: flags, group: group)
    }
  }
}

extension DispatchQueue {
  @inline(__always)
  private func handOver(_ item: ItemPointer) {
    if isEverlasting { return push(item) }
    record.submissions.enter()
    push(item)
    if record.submissions.leave() { releaseDeferred() }
  }

  @inline(never)
  private func releaseDeferred() {
    // SAFETY: this is the Swift reference that C's references held.
    csb_object_release(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Releases the Swift reference that C's references held: now, or as soon as no thread is
  /// submitting an item for C code.
  package final func releaseAfterSubmissions() {
    if !record.submissions.deferRelease() { releaseDeferred() }
  }

  @inline(__always)
  private func makeItem(
    _ call: FunctionCall, _ flags: DispatchWorkItemFlags, group: Unmanaged<DispatchGroup>?
  ) -> ItemPointer {
    call.makeItem(marks(.unspecified, flags), group: group)
  }

  package final func submit(
    _ call: FunctionCall, flags: DispatchWorkItemFlags = [],
    group: Unmanaged<DispatchGroup>? = nil
  ) {
    handOver(makeItem(call, flags, group: group))
  }

  /// Submits the call at `deadline`.
  package final func submit(_ call: FunctionCall, at deadline: Deadline) {
    DelayedItem.submit(makeItem(call, [], group: nil), to: self, at: deadline)
  }

  /// Submits the call once the group is empty.
  package final func submit(_ call: FunctionCall, whenEmpty group: DispatchGroup) {
    group.core.notify(self, makeItem(call, [], group: nil))
  }

  package final func submit(
    _ workItem: DispatchWorkItem, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil
  ) {
    let marks = marks(workItem.qos, workItem.flags.union(flags))
    handOver(workItem.makeItem(group: group, marks: marks))
  }

  /// Submits the work item at `deadline`.
  package final func submit(_ workItem: DispatchWorkItem, at deadline: Deadline) {
    DelayedItem.submit(workItem, to: self, at: deadline)
  }

  /// Runs the work item as a barrier and returns when it has ended.
  package final func syncBarrier(execute workItem: DispatchWorkItem) {
    ThreadHold.with(workItem.address, .awaitedWork) {
      withTurn(alone: true) { workItem.runSubmitted() }
    }
  }

  /// Submits a job of Swift's runtime: to this queue if it is the main queue, otherwise to the
  /// queue for jobs of the class.
  package final func submit(_ call: FunctionCall, asJobOf qosClass: DispatchQoS.QoSClass) {
    if shape == .main {
      return handOver(call.makeItem(marks(.unspecified, []).union(.job), group: nil))
    }
    JobQueues.append(
      call.makeItem(.job, group: nil), for: qosClass.band ?? .standard, isInPlace: false)
  }

  // MARK: For the interface's functions on queues

  /// Whether the queue is one that every program has. Such a queue is never freed.
  package final var isEverlasting: Bool { shape == .global || shape == .main }

  package final var isConcurrent: Bool { !isSerial }

  /// Makes `bytes`, a C string, the label that C code gets. The queue's own label is a Swift
  /// string, in which bytes that are not UTF-8 are replaced.
  package final func keepLabel(_ bytes: UnsafePointer<CChar>, count: Int) {
    _ = specifics.value(of: LabelBytes.address, orInsert: { LabelBytes(bytes, count: count) })
  }

  /// As `keepLabel`, but replaces a label that C code got before.
  package final func replaceLabel(_ bytes: UnsafePointer<CChar>, count: Int) {
    _ = specifics.replace(LabelBytes.address, by: LabelBytes(bytes, count: count))
  }

  /// Whether the queue was never activated.
  package final var isInactive: Bool { state.snapshot.isInactive }

  /// Gives an inactive queue a quality of service, as if it had been created with it.
  package final func setQualityOfService(_ qos: DispatchQoS) { assign(qos) }

  /// The queue as a workloop; nil if it is not a workloop.
  package final var asWorkloop: DispatchWorkloop? { workloop }

  /// The workloop that this code runs on, directly or through queues that target it.
  package static var currentWorkloop: DispatchWorkloop? {
    var next = current
    while let queue = next {
      if let workloop = queue.workloop { return workloop }
      next = queue.target
    }
    return nil
  }
}
