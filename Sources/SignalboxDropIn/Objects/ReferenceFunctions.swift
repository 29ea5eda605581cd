// ReferenceFunctions — the older names of dispatch_retain and dispatch_release, and the references
// that the toolchain's library itself counts. Its headers do not declare them.

import CSignalbox
import SignalboxDispatch

/// Counts one more C reference, and returns the object.
@_cdecl("_os_object_retain")
package func osObjectRetain(_ object: Handle?) -> Handle? {
  dispatchRetain(object)
  return object
}

/// The same. C code may have released its last reference, if the object's work still retains the
/// object.
@_cdecl("_os_object_retain_with_resurrect")
package func osObjectRetainWithResurrect(_ object: Handle?) -> Handle? { osObjectRetain(object) }

/// Releases one C reference.
@_cdecl("_os_object_release")
package func osObjectRelease(_ object: Handle?) { dispatchRelease(object) }

/// Counts one more internal reference of the library. It retains the object, and is not a C
/// reference.
@_cdecl("_os_object_retain_internal")
package func osObjectRetainInternal(_ object: Handle?) -> Handle? {
  osObjectRetainInternalTimes(object, 1)
}

@_cdecl("_os_object_retain_internal_n")
package func osObjectRetainInternalTimes(_ object: Handle?, _ count: UInt16) -> Handle? {
  let (kept, _) = Handles.any(object, "_os_object_retain_internal")
  for _ in 0..<count { csb_object_retain(kept.toOpaque()) }
  return object
}

/// Releases one internal reference of the library.
@_cdecl("_os_object_release_internal")
package func osObjectReleaseInternal(_ object: Handle?) { osObjectReleaseInternalTimes(object, 1) }

@_cdecl("_os_object_release_internal_n")
package func osObjectReleaseInternalTimes(_ object: Handle?, _ count: UInt16) {
  let (kept, _) = Handles.any(object, "_os_object_release_internal")
  for _ in 0..<count { csb_object_release(kept.toOpaque()) }
}
