// Exports — XCTest, behind the face of Foundation.

@_exported public import SignalboxFoundation
@_exported public import XCTest
