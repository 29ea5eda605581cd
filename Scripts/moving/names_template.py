"""The parts of the file of names that are the same for every target."""
HEADER = """// SignalboxNames — Signalbox's types, in a module that gets the toolchain's from elsewhere as well.
//
// Made by signalbox-move: {why}.
// What a module declares itself hides what it imports, so that each name below means Signalbox's.
// The aliases are public for the sake of public declarations that use them. On Apple's systems
// there is nothing to tell apart.

#if !canImport(Darwin)
public import {product}

"""
FUNCTIONS = """
func dispatchMain() -> Never {{ {product}.dispatchMain() }}

// The toolchain's own, less favoured, so that `.onQueue(.main)` fits ours alone.
@_disfavoredOverload
func dispatchPrecondition(
  condition: @autoclosure () -> Dispatch.DispatchPredicate, file: StaticString = #file,
  line: UInt = #line
) {{
  Dispatch.dispatchPrecondition(condition: condition(), file: file, line: line)
}}
"""
METHOD = """
  @_disfavoredOverload
  func NAME() {
    NAME(forModes: [RunLoop.Mode]?.none)
  }

  @_disfavoredOverload
  func NAME(forModes modes: [Foundation.RunLoop.Mode]?) {
    NAME(forModes: modes?.map { RunLoop.Mode($0) })
  }
"""
