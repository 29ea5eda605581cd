// ForwardingFunctions — Dispatch's functions, as this module declares them.
//
// A function that this module declares hides those of the same name and type that it
// re-exports. The toolchain's `dispatchPrecondition` takes its own predicate type and ours
// takes another, so `.onQueue(.main)` would match both. This file therefore redeclares the
// toolchain's as disfavored; ours needs nothing.
//
// All functions here are disfavored, so that a file that also imports a module of Signalbox
// prefers that module's.

public import Dispatch
import SignalboxDispatch

/// Runs the main queue on the main thread until the process ends. Call it on the
/// main thread.
///
/// Source: Apple's documentation of `dispatchMain()`.
@_disfavoredOverload
public func dispatchMain() -> Never { SignalboxDispatch.dispatchMain() }

/// Checks a precondition on a toolchain queue.
@_disfavoredOverload @_transparent
public func dispatchPrecondition(
  condition: @autoclosure () -> Dispatch.DispatchPredicate, file: StaticString = #file,
  line: UInt = #line
) {
  Dispatch.dispatchPrecondition(condition: condition(), file: file, line: line)
}
