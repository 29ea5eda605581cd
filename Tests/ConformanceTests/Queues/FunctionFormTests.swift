// FunctionFormTests — functions and contexts in place of closures.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

/// The object that a context points to.
private final class Note: Sendable {
  let calls = EventCounter("calls")
  let queue = Guarded<DispatchQueue?>(nil)
  let indices = EventLog<Int>()

  // SAFETY: the test keeps the note until all calls have been made.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func at(_ context: UnsafeMutableRawPointer?) -> Note {
    // SAFETY: made by `context`.
    Unmanaged<Note>.fromOpaque(context!).takeUnretainedValue()
  }
}

private let count: dispatch_function_t = { context in
  let note = Note.at(context)
  note.queue.withValue { $0 = DispatchQueue.current }
  note.calls.increment()
}

private let countIndex: @convention(c) (UnsafeMutableRawPointer?, Int) -> Void = { context, index in
  Note.at(context).indices.append(index)
}

@Suite(.guarded)
struct FunctionFormTests {
  @Test func eachFormCallsTheFunctionOnceWithItsContextOnItsQueue() throws {
    typealias Form = (DispatchQueue, UnsafeMutableRawPointer?) -> Void
    let group = DispatchGroup()
    let forms: [(String, Form)] = [
      ("async", { dispatch_async_f($0, $1, count) }),
      ("barrier_async", { dispatch_barrier_async_f($0, $1, count) }),
      ("sync", { dispatch_sync_f($0, $1, count) }),
      ("barrier_sync", { dispatch_barrier_sync_f($0, $1, count) }),
      ("async_and_wait", { dispatch_async_and_wait_f($0, $1, count) }),
      ("barrier_async_and_wait", { dispatch_barrier_async_and_wait_f($0, $1, count) }),
      ("after", { dispatch_after_f(DispatchTime.now().rawValue, $0, $1, count) }),
      ("after now", { dispatch_after_f(0, $0, $1, count) }),
      ("after wall", { dispatch_after_f(DispatchWallTime.now().rawValue, $0, $1, count) }),
      ("group_async", { dispatch_group_async_f(group, $0, $1, count) }),
      ("group_notify", { dispatch_group_notify_f(group, $0, $1, count) }),
    ]
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      try withEvery("form", in: forms.indices) { index in
        let note = Note()
        forms[index].1(queue, note.context)
        try note.calls.wait(for: 1)
        #expect(note.queue.current === queue, "\(forms[index].0)")
        group.wait()
        #expect(note.calls.value == 1, "\(forms[index].0)")
      }
    }
  }

  @Test func aNullContextIsPassedOn() {
    let queue = DispatchQueue(label: "test.functions")
    dispatch_sync_f(queue, nil) { if $0 != nil { Issue.record("a context came from nowhere") } }
    dispatch_async_f(queue, nil) { if $0 != nil { Issue.record("a context came from nowhere") } }
    queue.sync {}
  }

  @Test func functionsKeepTheirOrderAndBarriersAreAlone() throws {
    let queue = DispatchQueue(label: "test.functions", attributes: .concurrent)
    let note = Note()
    for _ in 0..<100 { dispatch_async_f(queue, note.context, count) }
    dispatch_barrier_sync_f(queue, note.context) { context in
      if Note.at(context).calls.value != 100 { Issue.record("a barrier did not wait") }
    }
    #expect(note.calls.value == 100)
  }

  @Test func aGroupHoldsAFunctionUntilItHasReturned() throws {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "test.functions")
    let note = Note()
    queue.suspend()
    for _ in 0..<3 { dispatch_group_async_f(group, queue, note.context, count) }
    let told = Note()
    dispatch_group_notify_f(group, queue, told.context, count)
    #expect(group.wait(timeout: .now()) == .timedOut)
    #expect(told.calls.value == 0)
    queue.resume()
    group.wait()
    #expect(note.calls.value == 3)
    try told.calls.wait(for: 1)
  }

  @Test func aTimedFunctionDoesNotRunEarly() throws {
    let note = Note()
    let begin = Uptime.now()
    dispatch_after_f(
      deadline(after: RealTime.delay).rawValue, .global(), note.context, count)
    try note.calls.wait(for: 1)
    #expect(Uptime.now() >= begin + RealTime.delay)
    // A call that never happens does not keep anything waiting.
    dispatch_after_f(DispatchTime.distantFuture.rawValue, .global(), note.context, count)
    #expect(note.calls.value == 1)
  }

  @Test func functionsServeAsHandlersOfSources() throws {
    let queue = DispatchQueue(label: "test.source.functions")
    let note = Note()
    let source = DispatchSource.makeUserDataAddSource(queue: queue) as! DispatchSource
    dispatch_set_context(source, note.context)
    dispatch_source_set_registration_handler_f(source, count)
    dispatch_source_set_event_handler_f(source, count)
    dispatch_source_set_cancel_handler_f(source, count)
    source.activate()
    try note.calls.wait(for: 1)
    #expect(note.queue.current === queue)
    source.add(data: 1)
    try note.calls.wait(for: 2)
    // Removes the handler.
    dispatch_source_set_event_handler_f(source, nil)
    source.add(data: 1)
    queue.sync {}
    #expect(note.calls.value == 2)
    source.cancel()
    try note.calls.wait(for: 3)
  }

  /// A source is cancelled and released at once: its cancel handler still has the context, and
  /// the finalizer runs after it.
  @Test func theContextOfASourceOutlivesItsCancelHandler() throws {
    for _ in 0..<200 {
      let note = Note()
      let queue = DispatchQueue(label: "test.source.context")
      do {
        let source = DispatchSource.makeTimerSource(queue: queue) as! DispatchSource
        dispatch_set_context(source, note.context)
        dispatch_source_set_cancel_handler_f(source) { context in
          let note = Note.at(context)
          note.indices.append(1)
        }
        dispatch_set_finalizer_f(source) { context in
          Note.at(context).indices.append(2)
          Note.at(context).calls.increment()
        }
        source.activate()
        source.cancel()
      }
      try note.calls.wait(for: 1)
      #expect(note.indices.all == [1, 2])
    }
  }

  @Test func applyCallsEachIndexOnce() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let note = Note()
      dispatch_apply_f(100, kind.makeQueue(), note.context, countIndex)
      #expect(note.indices.all.sorted() == Array(0..<100))
    }
    let note = Note()
    dispatch_apply_f(100, nil, note.context, countIndex)
    #expect(note.indices.all.sorted() == Array(0..<100))
  }

  @Test func contextsAreKeptByEveryKindOfObject() {
    let objects: [DispatchObject] = [
      DispatchQueue(label: "test.context"), DispatchGroup(), DispatchSemaphore(value: 0),
      DispatchWorkloop(label: "test.context"),
    ]
    let notes = objects.map { _ in Note() }
    for (object, note) in zip(objects, notes) {
      #expect(dispatch_get_context(object) == nil)
      dispatch_set_context(object, note.context)
    }
    for (object, note) in zip(objects, notes) {
      #expect(dispatch_get_context(object) == note.context)
      dispatch_set_context(object, nil)
      #expect(dispatch_get_context(object) == nil)
    }
  }

  @Test func theFinalizerRunsOnceOnTheObjectsTarget() throws {
    let target = DispatchQueue(label: "test.target")
    let makers: [(DispatchQueue?, () -> DispatchObject)] = [
      (target, { DispatchQueue(label: "test.finalized", target: target) }),
      (target, { DispatchQueue(label: "test.finalized", attributes: .concurrent, target: target) }),
      (.global(), { DispatchQueue(label: "test.finalized") }),
      (.global(qos: .utility), { DispatchQueue(label: "test.finalized", qos: .utility) }),
      (
        .global(qos: .background),
        { DispatchQueue(label: "test.finalized", target: .global(qos: .background)) }
      ),
      (.global(), { DispatchGroup() }),
      (.global(), { DispatchSemaphore(value: 1) }),
      (.global(), { DispatchWorkloop(label: "test.finalized") }),
    ]
    for (expected, make) in makers {
      let note = Note()
      do {
        let object = make()
        dispatch_set_finalizer_f(object, count)
        dispatch_set_context(object, note.context)
        #expect(note.calls.value == 0)
        withExtendedLifetime(object) {}
      }
      try note.calls.wait(for: 1)
      #expect(note.queue.current === expected)
    }
  }

  @Test func withoutAContextOrWithoutAFinalizerNothingRuns() throws {
    let target = DispatchQueue(label: "test.target")
    let note = Note()
    do {
      let bare = DispatchQueue(label: "test.bare", target: target)
      dispatch_set_finalizer_f(bare, count)
      let silent = DispatchQueue(label: "test.silent", target: target)
      dispatch_set_context(silent, note.context)
      let revoked = DispatchQueue(label: "test.revoked", target: target)
      dispatch_set_context(revoked, note.context)
      dispatch_set_finalizer_f(revoked, count)
      dispatch_set_finalizer_f(revoked, nil)
      for queue in [bare, silent, revoked] { queue.sync {} }
    }
    target.sync {}
    #expect(note.calls.value == 0)
  }
}
