// Traps — end a program that cannot continue, with a message, in release builds too.
//
// A bare `precondition` has no message under -O; these do.

import CSignalbox

/// Ends the process because the program broke a rule of the API.
///
/// - Parameter what: names the object, what the program did, the state, and what to do
///   instead.
@inline(never)
package func clientBug(_ what: String) -> Never {
  csb_trap("BUG IN CLIENT OF SIGNALBOX: " + what)
}

/// Ends the process because an invariant of the library does not hold.
@inline(never)
package func internalBug(_ what: String) -> Never {
  csb_trap("BUG IN SIGNALBOX: " + what)
}

/// Ends the process because the system refused something without which nothing works.
///
/// - Parameters:
///   - call: the system's name of the call that failed.
///   - error: the errno of the failure.
///   - consequence: what cannot continue, and what to do.
@inline(never)
package func environmentFailure(_ call: StaticString, _ error: Int32, _ consequence: String)
  -> Never
{
  csb_trap("SIGNALBOX CANNOT CONTINUE: \(call) failed with errno \(error): \(consequence)")
}

/// Writes a warning about the environment to standard error, because there is no other
/// way to inform the program, and continues.
@inline(never)
package func warn(_ what: String) {
  csb_warn("SIGNALBOX: " + what)
}
