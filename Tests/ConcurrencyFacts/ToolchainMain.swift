// The toolchain's Dispatch, in a file of its own: its names are ours too.

import Dispatch

/// Drains the toolchain's main queue for ever.
func drainToolchainMain() -> Never { Dispatch.dispatchMain() }

func onToolchainMain(_ work: @escaping @Sendable @convention(block) () -> Void) {
  Dispatch.DispatchQueue.main.async(execute: work)
}
