// ToolchainMain — the toolchain's Dispatch. It has a file of its own because its names equal
// ours.

import Dispatch

/// Drains the toolchain's main queue forever.
func drainToolchainMain() -> Never { Dispatch.dispatchMain() }

func onToolchainMain(_ work: @escaping @Sendable @convention(block) () -> Void) {
  Dispatch.DispatchQueue.main.async(execute: work)
}
