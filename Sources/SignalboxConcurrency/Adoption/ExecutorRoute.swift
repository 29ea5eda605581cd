// ExecutorRoute — how a toolchain lets its executors be replaced.
//
// There is no public way yet, and each toolchain may change the non-public one. All code that
// depends on it is behind this protocol, in a folder for each compiler version: `Swift63`. With any
// other compiler, the rest of the module builds and works, and `adopt()` says what is missing. See
// Internals/NextVersions.md.

package protocol ExecutorRoute {
  /// What the compiler lacks, or nil if the route works.
  static var missing: String? { get }

  /// Replaces the toolchain's executors with ours, unless another package has already replaced
  /// them. Called once, or again after it has thrown.
  static func install() throws(AdoptionError)
}

/// The route of a compiler that has none.
package enum NoRoute: ExecutorRoute {
  package static var missing: String? {
    "adoption needs a non-public interface of Swift 6.3: build this program with Swift 6.3"
  }

  package static func install() throws(AdoptionError) {}
}

#if compiler(>=6.3) && compiler(<6.4)
  typealias CurrentRoute = HookedRoute
#else
  typealias CurrentRoute = NoRoute
#endif
