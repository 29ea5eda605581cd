// ProgramScenario — one thing that a test program does, under a name that the program and its
// tests share.
//
// A program declares an enum for each subject, beside the code of its scenarios. Tests import the
// program and name a case, so a misspelled or missing scenario does not compile.

/// The raw value is the first argument of the program.
package protocol ProgramScenario: RawRepresentable, CaseIterable, Sendable
where RawValue == String {
  /// The name of the program that has the scenario.
  static var program: String { get }
}
