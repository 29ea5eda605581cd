// Faces — the names that XCTest brings with Foundation, and that are ours here.
//
// XCTest re-exports Foundation. A name that reaches a file both from there and from
// `SignalboxFoundation` is ambiguous, unless the module that brings both declares it
// itself. So this module has the same aliases as that one, by a link to their files, and one
// for each type that is declared there.

public import SignalboxFoundation

/// Notifications that are posted later, and not twice: ``/SignalboxFoundation/NotificationQueue``.
public typealias NotificationQueue = SignalboxFoundation.NotificationQueue
