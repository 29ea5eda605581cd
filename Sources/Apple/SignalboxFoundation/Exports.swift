// Exports — what SignalboxFoundation is on Apple's systems: a part of Foundation.

@_exported public import Foundation
