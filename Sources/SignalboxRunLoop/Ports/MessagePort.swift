// MessagePort — a port of this machine; of this process, here.

/// A port for messages between the threads of a process.
///
/// It is what ``Port`` itself is; the name is there for programs that use it. All that stands
/// there holds for it.
///
/// *Differences*: absent from the toolchain.
///
/// Source: Apple's documentation of `MessagePort`.
open class MessagePort: Port, @unchecked Sendable {  // SAFETY: as `Port`.
}
