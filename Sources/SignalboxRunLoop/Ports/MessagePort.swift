// MessagePort — a port for messages within this machine; here, within this process.

/// A port for messages between the threads of a process.
///
/// It behaves exactly like ``Port``, and exists for programs that use this name.
///
/// *Differences*: absent from the toolchain.
///
/// Source: Apple's documentation of `MessagePort`.
open class MessagePort: Port, @unchecked Sendable {  // SAFETY: see `Port`.
}
