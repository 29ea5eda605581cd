// Exports — re-exports Foundation, with all of Signalbox in front of it.

@_exported public import Foundation
@_exported public import Signalbox
