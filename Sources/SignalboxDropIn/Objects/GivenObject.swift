// GivenObject — an existing object that a dispatch_…_create function returns in place of a new one.
//
// A class of the toolchain's Dispatch gets its object from such a function, and has no public
// initializer that takes one. So SignalboxBridges gives the object to the thread before it calls
// the initializer.
//
// Touching    the given object: only the thread that it was given to.

import CSignalboxDropIn
package import SignalboxDispatch

package enum GivenObject {
  /// Calls `body`, which makes a toolchain object. That object gets `object`, with a C reference.
  ///
  /// - Returns: what `body` made; nil if that got its object from another library.
  package static func give<Made>(_ object: DispatchObject, to body: () -> Made) -> Made? {
    csd_give(Handles.shared(object))
    let made = body()
    if csd_given() == nil { return made }
    Handles.takeBack(object)
    csd_give(nil)
    return nil
  }

  /// The object that this thread was given, for a function that would make one of this kind.
  @inline(__always)
  static func take(_ kind: ObjectHandle.Kind) -> Handle? {
    csd_given() == nil ? nil : takeGiven(kind)
  }

  @inline(never)
  private static func takeGiven(_ kind: ObjectHandle.Kind) -> Handle? {
    guard let given = csd_given(), ObjectHandle.isKind(kind, at: given) else { return nil }
    csd_give(nil)
    return given
  }
}
