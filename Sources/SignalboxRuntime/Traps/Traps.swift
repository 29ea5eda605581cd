// Traps — how a program that cannot go on says why, in release builds too.
//
// A bare `precondition` is silent under -O; these are not.

import CSignalbox

/// Ends the process because the program broke a rule of the API.
///
/// - Parameter what: what was done, what the state was, what to do instead;
///   it names the object.
@inline(never)
package func clientBug(_ what: String) -> Never {
  csb_trap("BUG IN CLIENT OF SIGNALBOX: " + what)
}

/// Ends the process because one of our own invariants does not hold.
@inline(never)
package func internalBug(_ what: String) -> Never {
  csb_trap("BUG IN SIGNALBOX: " + what)
}

/// Ends the process because the system refused what nothing works without.
///
/// - Parameters:
///   - call: the system's name of what failed.
///   - error: the errno that it failed with.
///   - consequence: what cannot go on, and what to do.
@inline(never)
package func environmentFailure(_ call: StaticString, _ error: Int32, _ consequence: String)
  -> Never
{
  csb_trap("SIGNALBOX CANNOT GO ON: \(call) failed with errno \(error): \(consequence)")
}

/// Says something about the environment that the program cannot be told in
/// any other way, and goes on.
@inline(never)
package func complain(_ what: String) {
  csb_complain("SIGNALBOX: " + what)
}
