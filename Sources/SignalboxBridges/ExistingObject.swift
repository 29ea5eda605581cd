// ExistingObject — lets an initializer of a class return an existing object.

import Dispatch
import SignalboxDispatch
import SignalboxDropIn
import SignalboxRuntime

protocol ExistingObject {}

extension ExistingObject {
  /// - Parameter object: an object of this class; for a subclass's initializer, an instance of that
  ///   subclass.
  init(existing object: AnyObject, _ call: StaticString) {
    guard let own = object as? Self else {
      clientBug("\(call): the object is not a \(Self.self).")
    }
    self = own
  }
}

extension SignalboxDispatch.DispatchQueue: ExistingObject {}
extension SignalboxDispatch.DispatchGroup: ExistingObject {}
extension SignalboxDispatch.DispatchSemaphore: ExistingObject {}

/// Objects of the toolchain's Dispatch: ours only if the process is bound to our functions.
enum ToolchainObject {
  /// Returns the object's handle in C.
  static func handle(of object: Dispatch.DispatchObject, _ call: StaticString) -> Handle {
    // The only stored property of the class. It is not public.
    let stored = Mirror(reflecting: object).children.first?.value
    guard let handle = stored as? OpaquePointer else {
      clientBug(
        "\(call): the toolchain's class has no handle where that of Swift 6.3 has one. Use a "
          + "version of Signalbox for this toolchain.")
    }
    check(call)
    return Handle(handle)
  }

  /// Makes a toolchain object over `object`. `make` calls an initializer whose C function returns
  /// `object` instead of a new one.
  static func make<Made>(
    over object: SignalboxDispatch.DispatchObject, _ call: StaticString, by make: () -> Made
  ) -> Made {
    guard let made = GivenObject.give(object, to: make) else { refuse(call) }
    return made
  }

  /// Traps if the process uses another library's Dispatch and objects. The kind of an object cannot
  /// show that, because the other library may be another copy of this one.
  static func check(_ call: StaticString) {
    let semaphore = SignalboxDispatch.DispatchSemaphore(value: 0)
    _ = make(over: semaphore, call) { Dispatch.DispatchSemaphore(value: 0) }
  }

  private static func refuse(_ call: StaticString) -> Never {
    clientBug(
      "\(call): the Dispatch of this process is the toolchain's, whose objects are not Signalbox's. "
        + "Add the product SignalboxDropIn or SignalboxBridges to the program that is started: a "
        + "library that is loaded later comes too late.")
  }
}
