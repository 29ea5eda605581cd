// ExecutorRoute — the way by which a toolchain lets its executors be replaced.
//
// No way is public yet, and each toolchain may change it. All that depends on one stands in
// this folder behind this protocol; on any other compiler the rest of the module is built and
// works, and `adopt()` says what is missing.

package protocol ExecutorRoute {
  /// What a compiler lacks that has no such way; nil where there is one.
  static var missing: String? { get }

  /// Puts our executors in place of the toolchain's, unless another package has done so with
  /// its own. Called once, or again after it has thrown.
  static func install() throws(AdoptionError)
}

/// Where there is none.
package enum NoRoute: ExecutorRoute {
  package static var missing: String? {
    "adoption goes through an interface of Swift 6.3 that is not public, and this program was "
      + "built by another compiler"
  }

  package static func install() throws(AdoptionError) {}
}

#if compiler(>=6.3) && compiler(<6.4)
  typealias CurrentRoute = HookedRoute
#else
  typealias CurrentRoute = NoRoute
#endif
