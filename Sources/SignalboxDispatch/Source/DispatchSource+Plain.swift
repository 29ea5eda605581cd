// DispatchSource+Plain — handle, mask and data of a source whose kind is not asked for.
//
// The protocols of some kinds give these as other types, a process's id, say, or a set of
// events, and the class stands for all kinds. Whoever holds a source as the class gets the
// plain numbers: without these members the compiler could not choose among the protocols.

extension DispatchSource {
  /// What the source watches: a descriptor, a signal, a process; 0 for timers and user
  /// data.
  public final var handle: UInt { core.handle }
  /// Which events it watches for, by its kind.
  public final var mask: UInt { core.mask }
  /// What has happened, by its kind. For the event handler.
  public final var data: UInt { core.data }
}
