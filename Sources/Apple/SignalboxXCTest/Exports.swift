// Exports — what SignalboxXCTest is on Apple's systems.

@_exported public import Foundation
@_exported public import XCTest
