// FunctionFaces — the functions of Dispatch that are ours here.
//
// A function that this module declares hides those of the same name and type that it
// re-exports. The toolchain's `dispatchPrecondition` takes a predicate of its own, and ours
// another, so that `.onQueue(.main)` would fit both. So the toolchain's is declared here once
// more, as the less favoured one, and ours needs nothing.
//
// All are less favoured, so that a file which imports a module of Signalbox as well has one
// that is better.

public import Dispatch
import SignalboxDispatch

/// Gives the calling thread, the process's first, to the main queue for good.
///
/// Source: Apple's documentation of `dispatchMain()`.
@_disfavoredOverload
public func dispatchMain() -> Never { SignalboxDispatch.dispatchMain() }

/// The precondition of a queue of the toolchain's.
@_disfavoredOverload @_transparent
public func dispatchPrecondition(
  condition: @autoclosure () -> Dispatch.DispatchPredicate, file: StaticString = #file,
  line: UInt = #line
) {
  Dispatch.dispatchPrecondition(condition: condition(), file: file, line: line)
}
