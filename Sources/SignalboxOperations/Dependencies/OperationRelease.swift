// OperationRelease — frees a chain of operations link by link.
//
// Each operation retains its dependencies. If its deinitializer released them directly, freeing
// a long chain would nest one call per link and overflow the stack. So inner deinitializers only
// add to a list, and the outermost deinitializer on the thread frees its members.
//
// Touching    the thread's own list, whose address is in `csb_thread`.

import CSignalbox

enum OperationRelease {
  static func release(_ operations: consuming [Operation]) {
    let storage = csb_thread_self()
    if let raw = storage.pointee.releases {
      // SAFETY: stored by an outer call of this function on this thread.
      raw.assumingMemoryBound(to: [Operation].self).pointee.append(contentsOf: operations)
      return
    }
    var pending = operations
    withUnsafeMutablePointer(to: &pending) { pointer in
      storage.pointee.releases = UnsafeMutableRawPointer(pointer)
      // `popLast` frees an operation, which may append to the list.
      while pointer.pointee.popLast() != nil {}
      storage.pointee.releases = nil
    }
  }
}
