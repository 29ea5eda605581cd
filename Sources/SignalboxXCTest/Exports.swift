// Exports — re-exports SignalboxFoundation, and XCTest's names one by one.
//
// XCTest re-exports Foundation. If this module re-exported all of XCTest, Foundation's names
// would reach a file without passing through SignalboxFoundation, and that module's aliases
// would not hide them. An import of a single declaration brings in only its name. So this file
// lists each public name of XCTest; `Tests/Imports` compares the list with XCTest's.

@_exported public import SignalboxFoundation
@_exported public import class XCTest.PerformanceMeter
@_exported public import class XCTest.XCTNSNotificationExpectation
@_exported public import class XCTest.XCTNSPredicateExpectation
@_exported public import class XCTest.XCTWaiter
@_exported public import class XCTest.XCTest
@_exported public import class XCTest.XCTestCase
@_exported public import class XCTest.XCTestCaseRun
@_exported public import class XCTest.XCTestExpectation
@_exported public import class XCTest.XCTestObservationCenter
@_exported public import class XCTest.XCTestRun
@_exported public import class XCTest.XCTestSuite
@_exported public import class XCTest.XCTestSuiteRun
@_exported public import struct XCTest.XCTPerformanceMetric
@_exported public import struct XCTest.XCTSkip
@_exported public import struct XCTest.XCTestError
@_exported public import protocol XCTest.XCTWaiterDelegate
@_exported public import protocol XCTest.XCTestObservation
@_exported public import typealias XCTest.XCNotificationExpectationHandler
@_exported public import typealias XCTest.XCPredicateExpectationHandler
@_exported public import typealias XCTest.XCTestCaseClosure
@_exported public import typealias XCTest.XCTestCaseEntry
@_exported public import typealias XCTest.XCWaitCompletionHandler
@_exported public import var XCTest.XCTestErrorDomain
@_exported public import func XCTest.XCTAssert
@_exported public import func XCTest.XCTAssertEqual
@_exported public import func XCTest.XCTAssertEqualWithAccuracy
@_exported public import func XCTest.XCTAssertFalse
@_exported public import func XCTest.XCTAssertGreaterThan
@_exported public import func XCTest.XCTAssertGreaterThanOrEqual
@_exported public import func XCTest.XCTAssertIdentical
@_exported public import func XCTest.XCTAssertLessThan
@_exported public import func XCTest.XCTAssertLessThanOrEqual
@_exported public import func XCTest.XCTAssertNil
@_exported public import func XCTest.XCTAssertNoThrow
@_exported public import func XCTest.XCTAssertNotEqual
@_exported public import func XCTest.XCTAssertNotEqualWithAccuracy
@_exported public import func XCTest.XCTAssertNotIdentical
@_exported public import func XCTest.XCTAssertNotNil
@_exported public import func XCTest.XCTAssertThrowsError
@_exported public import func XCTest.XCTAssertTrue
@_exported public import func XCTest.XCTFail
@_exported public import func XCTest.XCTMain
@_exported public import func XCTest.XCTSkipIf
@_exported public import func XCTest.XCTSkipUnless
@_exported public import func XCTest.XCTUnwrap
@_exported public import func XCTest.asyncTest
@_exported public import func XCTest.testCase
