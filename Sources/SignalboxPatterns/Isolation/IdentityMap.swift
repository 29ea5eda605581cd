// IdentityMap — one object for each identifier.

public import SignalboxDispatch
import SignalboxRuntime

/// Keeps one object for each identifier, however many threads look up or add objects: looking up
/// an identifier twice returns the identical object.
///
/// ```swift
/// let users = IdentityMap<User>()
/// let user = users.object(withID: 7) { User(id: 7) }
/// assert(users.object(withID: 7) === user)
/// ```
///
/// The first object that you add for an identifier stays until you remove it. A later one does
/// not replace it, because two parts of a program could then hold different objects for the
/// same thing.
///
/// *Differences* from the class of this name in “The GCD Handbook” by Soroush Khanlou, 2016:
/// there, the object that you add last stays.
///
/// Call it from any thread. Lookups run concurrently, changes alone; see ``Isolated``.
///
/// *Beyond Apple's API.* Source: M. Fowler, “Patterns of Enterprise Application
/// Architecture” (2002), Identity Map.
public final class IdentityMap<Object: AnyObject & Identifiable & Sendable>: Sendable
where Object.ID: Sendable {
  @usableFromInline let objects: Isolated<[Object.ID: Object]>

  /// Creates an empty map.
  ///
  /// - Parameter label: the name of the map's queue, for reports and messages.
  public init(label: String = "org.signalbox.identity-map") {
    objects = Isolated([:], label: label)
  }

  /// The number of objects.
  public var count: Int { objects.read { $0.count } }

  // MARK: Looking up

  /// Returns the object with the identifier, if there is one.
  ///
  /// The lookup sees everything that this thread has added before.
  @inlinable
  public func object(withID id: Object.ID) -> Object? {
    objects.read { $0[id] }
  }

  /// Looks the object up without waiting, and calls `completion` with it on `queue`.
  public func object(
    withID id: Object.ID, on queue: DispatchQueue,
    completion: @escaping @Sendable (Object?) -> Void
  ) {
    objects.read({ $0[id] }, on: queue, completion: completion)
  }

  /// Returns the object with the identifier. If there is none, calls `make` and adds the object
  /// that it returns. If several threads ask at once, only one of them makes the object.
  ///
  /// - Parameters:
  ///   - id: the identifier.
  ///   - make: creates the object. It runs alone, as part of the change, so it must not use the
  ///     map. An object with another identifier traps.
  public func object(withID id: Object.ID, orAdd make: () throws -> Object) rethrows -> Object {
    if let object = object(withID: id) { return object }
    return try objects.writeAndWait { objects in
      if let object = objects[id] { return object }
      let object = try make()
      if object.id != id {
        clientBug(
          "IdentityMap.object(withID: \(id), orAdd:) was given an object with the identifier "
            + "\(object.id): it would not be found again. Create it with the requested identifier.")
      }
      objects[id] = object
      return object
    }
  }

  // MARK: Changing

  /// Adds an object, unless there is one with its identifier. Returns at once.
  public func addObject(_ object: Object) {
    objects.write { objects in
      if objects[object.id] == nil { objects[object.id] = object }
    }
  }

  /// Removes the object with the identifier. Returns at once.
  public func removeObject(withID id: Object.ID) {
    objects.write { $0[id] = nil }
  }
}
