// BacktraceTests — the functions that called each other, with readable names.

import Glibc
@testable import SignalboxRuntime
import Testing

@Suite struct BacktraceTests {
  @Test func namesTheFunctionsOfAProgramThatAreNotExported() {
    let trace = outermostOfThree()
    let names = trace.frames.map(\.function)
    let places = ["innermostOfThree", "middleOfThree", "outermostOfThree"].map { name in
      names.firstIndex { $0.contains(name) }
    }
    #expect(places == [0, 1, 2], "\(names)")
  }

  @Test func namesAFunctionAsItReadsInSwift() throws {
    let frame = try #require(outermostOfThree().frames.first)
    #expect(frame.function.contains("SignalboxRuntimeTests.innermostOfThree"))
    #expect(frame.function.contains("() -> SignalboxRuntime.Backtrace"))
    #expect(frame.image.hasPrefix("/"))
    #expect(frame.image.hasSuffix(String(frame.imageName)))
    #expect(frame.offset > 0)
  }

  @Test func namesAFunctionOfAnotherLibrary() throws {
    // The C library calls the test back.
    var found = false
    withUnsafeMutablePointer(to: &found) { found in searchOnce(found) }
    #expect(found)
  }

  @Test func addressesOfSeveralFilesAreNamedTogetherAsEachIsAlone() throws {
    let library = UInt(bitPattern: try #require(dlsym(nil, "bsearch"))) + 1
    let addresses = [library, 16, .max] + outermostOfThree().addresses + [library, 0]
    let together = Backtrace(addresses: addresses).frames
    #expect(together.map(\.address) == addresses)
    #expect(together[0].function == "bsearch" && together[0].offset == 1)
    for (address, frame) in zip(addresses, together) {
      let alone = Backtrace(addresses: [address]).frames[0]
      #expect(frame.function == alone.function)
      #expect(frame.image == alone.image && frame.offset == alone.offset)
    }
  }

  @Test func keepsAsManyFunctionsAsAreWanted() {
    #expect(Backtrace.ofThisThread(limit: 2).addresses.count == 2)
    let (all, callers) = (Backtrace.ofThisThread(), Backtrace.ofThisThread(skipping: 1))
    let common = min(all.addresses.count - 1, callers.addresses.count)
    #expect(common > 0)
    #expect(all.addresses.dropFirst().prefix(common) == callers.addresses.prefix(common))
  }

  @Test func anAddressOutsideOfCodeHasNoName() {
    let frame = Backtrace(addresses: [16]).frames[0]
    #expect(frame.function.isEmpty)
    #expect(frame.image.isEmpty)
  }

  @Test(arguments: [
    ("Some.(name in _11927ACE)() -> ()", "Some.name() -> ()"),
    ("(a in _1)(b in _2)", "ab"), ("no mark (in it)", "no mark (in it)"), (" in _", " in _"),
  ])
  func aFilesMarkIsTakenOutOfAName(words: String, clean: String) {
    #expect(Backtrace.withoutFileMarks(words) == clean)
  }

  @Test func omitsTheLibrarysOwnFunctionsFromAReport() {
    let lines = outermostOfThree().lines
    #expect(lines.first?.contains("innermostOfThree") == true, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("start_thread") })
  }
}

@inline(never) private func outermostOfThree() -> Backtrace {
  let trace = middleOfThree()
  return Backtrace(addresses: trace.addresses)
}

@inline(never) private func middleOfThree() -> Backtrace {
  let trace = innermostOfThree()
  return Backtrace(addresses: trace.addresses)
}

@inline(never) private func innermostOfThree() -> Backtrace {
  let trace = Backtrace.ofThisThread()
  return Backtrace(addresses: trace.addresses)
}

/// Makes `bsearch` call back, and looks for it on the stack.
private func searchOnce(_ found: UnsafeMutablePointer<Bool>) {
  let numbers: [Int32] = [1]
  _ = bsearch(found, numbers, numbers.count, MemoryLayout<Int32>.stride) { found, _ in
    let frames = Backtrace.ofThisThread().frames
    // SAFETY: the key that was passed above.
    UnsafeMutablePointer(mutating: found!.assumingMemoryBound(to: Bool.self)).pointee =
      frames.contains { $0.function.hasPrefix("bsearch") && $0.imageName.hasPrefix("libc.so") }
    return 0
  }
}
