// The only file that differs between the two programs: whose Dispatch it is.
// `@_exported` lets the shared files see it without an import of their own.

@_exported public import Dispatch

let implementation = "toolchain"
