// DispatchSource+Plain — handle, mask and data of a source whose kind is unknown.
//
// The protocols of some kinds declare these with other types, such as a process ID or a set of
// events, and the class conforms to all of them. Code that holds a source as the class gets the
// plain numbers. Without these members, the compiler could not choose among the protocols.

extension DispatchSource {
  /// What the source watches: a descriptor, a signal or a process; 0 for timers and user data.
  public final var handle: UInt { core.handle }
  /// The events that it watches for; the meaning depends on the kind.
  public final var mask: UInt { core.mask }
  /// The events that happened, for the event handler; the meaning depends on the kind.
  public final var data: UInt { core.data }
}
