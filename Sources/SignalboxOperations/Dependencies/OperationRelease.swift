// OperationRelease — frees a chain of operations link by link.
//
// Each operation keeps those that it depends on. If its end let go of them from within, the
// end of a long chain would be a call within a call for each of its links, until the
// stack is used up. So the outermost end on a thread frees what the inner ones leave to it.
//
// Touching    the thread's own list, whose address is in `csb_thread`.

import CSignalbox

enum OperationRelease {
  static func release(_ operations: consuming [Operation]) {
    let storage = csb_thread_self()
    if let raw = storage.pointee.releases {
      // SAFETY: the function below, further out on this thread, has put it there.
      raw.assumingMemoryBound(to: [Operation].self).pointee.append(contentsOf: operations)
      return
    }
    var pending = operations
    withUnsafeMutablePointer(to: &pending) { pointer in
      storage.pointee.releases = UnsafeMutableRawPointer(pointer)
      // What is popped is freed here, and may append to the list.
      while pointer.pointee.popLast() != nil {}
      storage.pointee.releases = nil
    }
  }
}
