// IdentityMap — one object for each identifier.

public import SignalboxDispatch
import SignalboxRuntime

/// Keeps one object for each identifier, however many threads look for it or add
/// one: who asks twice gets the identical object.
///
/// ```swift
/// let users = IdentityMap<User>()
/// let user = users.object(withID: 7) { User(id: 7) }
/// assert(users.object(withID: 7) === user)
/// ```
///
/// The first object that is added for an identifier stays until it is removed: one
/// that comes later does not take its place, or two parts of a program could
/// hold different objects for the same thing.
/// *Differences* from the class of this name in “The GCD Handbook” by Soroush
/// Khanlou, 2016: there the last one stays.
///
/// From any thread. Lookups run side by side, changes alone; see ``Isolated``.
///
/// *Beyond Apple's API.* Source: M. Fowler, “Patterns of Enterprise Application
/// Architecture” (2002), Identity Map.
public final class IdentityMap<Object: AnyObject & Identifiable & Sendable>: Sendable
where Object.ID: Sendable {
  @usableFromInline let objects: Isolated<[Object.ID: Object]>

  /// - Parameter label: the name of the map's queue, for reports and messages.
  public init(label: String = "org.signalbox.identity-map") {
    objects = Isolated([:], label: label)
  }

  /// How many objects there are.
  public var count: Int { objects.read { $0.count } }

  // MARK: Looking up

  /// The object with the identifier, if there is one.
  ///
  /// Finds what this thread added before.
  @inlinable
  public func object(withID id: Object.ID) -> Object? {
    objects.read { $0[id] }
  }

  /// Looks the object up without waiting, and has `completion` called with it on
  /// `queue`.
  public func object(
    withID id: Object.ID, on queue: DispatchQueue,
    completion: @escaping @Sendable (Object?) -> Void
  ) {
    objects.read({ $0[id] }, on: queue, completion: completion)
  }

  /// The object with the identifier; if there is none, `make` is called and what it
  /// returns is added. Of several threads that ask at once one makes it.
  ///
  /// - Parameters:
  ///   - id: the identifier.
  ///   - make: runs alone, as a part of the change: it must not use the map, and its
  ///     object must have the identifier that was asked for, or this traps.
  public func object(withID id: Object.ID, orAdd make: () throws -> Object) rethrows -> Object {
    if let object = object(withID: id) { return object }
    return try objects.writeAndWait { objects in
      if let object = objects[id] { return object }
      let object = try make()
      if object.id != id {
        clientBug(
          "IdentityMap.object(withID: \(id), orAdd:) was given an object with the identifier "
            + "\(object.id): it would not be found again. Make it with the one asked for.")
      }
      objects[id] = object
      return object
    }
  }

  // MARK: Changing

  /// Adds an object, unless there is one with its identifier; returns at once.
  public func addObject(_ object: Object) {
    objects.write { objects in
      if objects[object.id] == nil { objects[object.id] = object }
    }
  }

  /// Forgets the object with the identifier; returns at once.
  public func removeObject(withID id: Object.ID) {
    objects.write { $0[id] = nil }
  }
}
