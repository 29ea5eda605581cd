// The only file that differs between the two programs: whose Dispatch and
// whose threads and locks they are.
// `@_exported` lets the shared files see it without an import of their own.

@_exported public import Foundation

let implementation = "toolchain"

/// Tasks and actors run on the toolchain's pool.
func adoptExecutors() {}

/// On which tasks sleep.
let sleepingClock = ContinuousClock()
