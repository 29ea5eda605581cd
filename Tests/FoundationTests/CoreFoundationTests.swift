// CoreFoundationTests — Core Foundation beside ours: its names one by one, and its strings as modes.

import class CoreFoundation.CFString
import enum CoreFoundation.CFStringBuiltInEncodings
import func CoreFoundation.CFStringCreateWithCString
import SignalboxFoundation
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct CoreFoundationTests {
  @Test(arguments: ["", "tests", "späte Züge 🚂", String(repeating: "mode", count: 1_000)])
  func aModeHasTheNameThatItWasCreatedWith(_ name: String) throws {
    let string: CFString = try #require(
      CFStringCreateWithCString(nil, name, CFStringBuiltInEncodings.UTF8.rawValue))
    #expect(CFRunLoopMode(string) == CFRunLoopMode(name))
    #expect(CFRunLoopMode(string).rawValue == name)
  }
}
