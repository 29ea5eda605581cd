// WaitStackTests — the stack of a thread that waits, and frames that lead nowhere.

import CSignalbox
import Glibc
@testable import SignalboxDiagnostics
@testable import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Stacks of waiting threads", .guarded) struct WaitStackTests {
  /// Frames in memory: the address of the caller's frame, and the return address.
  private struct Frames {
    let words: UnsafeMutablePointer<UInt>

    /// Each frame leads to the one after it, and the last one to `end`.
    init(returning addresses: [UInt], end: UInt) {
      words = .allocate(capacity: 2 * addresses.count)
      for (index, address) in addresses.enumerated() {
        let isLast = index + 1 == addresses.count
        words[2 * index] = isLast ? end : UInt(bitPattern: words + 2 * (index + 1))
        words[2 * index + 1] = address
      }
    }

    var place: csb_place {
      csb_place(instruction: UnsafeRawPointer(bitPattern: 7), stack: words, frame: words)
    }

    func functions() -> [UInt] { WaitStack.functions(from: place).addresses }
  }

  @Test func eachFrameLeadsToItsCaller() {
    let frames = Frames(returning: [11, 12, 13], end: 0)
    defer { frames.words.deallocate() }
    #expect(frames.functions() == [7, 11, 12, 13])
  }

  /// What a function that uses the frame register for something else may have in it.
  @Test(arguments: ["the same frame", "an odd number", "far above", "below", "unmapped memory"])
  func aRegisterThatIsNoFrameEndsTheWalk(_ kind: String) throws {
    let page = 4096
    let unmapped = try #require(
      mmap(nil, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(unmapped, page) }
    let frames = Frames(returning: [11, 12], end: 0)
    defer { frames.words.deallocate() }
    let first = UInt(bitPattern: frames.words)
    let end: UInt =
      switch kind {
      case "the same frame": first + 16
      case "an odd number": first + 35
      case "far above": first + 1 << 40
      case "below": first - 16
      default: UInt(bitPattern: unmapped)
      }
    frames.words[2] = end
    #expect(frames.functions() == [7, 11, 12])
    if kind == "unmapped memory" {
      let place = csb_place(
        instruction: UnsafeRawPointer(bitPattern: 7), stack: UnsafeRawPointer(unmapped),
        frame: UnsafeRawPointer(unmapped))
      #expect(WaitStack.functions(from: place).addresses == [7])
    }
  }

  @Test func aReturnAddressOfZeroIsTheThreadsBeginning() {
    let frames = Frames(returning: [11, 0, 13], end: 0)
    defer { frames.words.deallocate() }
    #expect(frames.functions() == [7, 11])
  }

  @Test func aStackWithoutEndIsCut() {
    let frames = Frames(returning: Array(repeating: 11, count: 1000), end: 0)
    defer { frames.words.deallocate() }
    #expect(frames.functions().count == 64)
  }

  @Test func aWaitWithoutRegistersHasNoFunctions() {
    #expect(WaitStack.functions(from: csb_place()).addresses.isEmpty)
  }

  /// Of the functions between the program's own, those of Swift's library are left out.
  @Test func theFunctionsOfTheProgramAreNamed() throws {
    let waits = Waits()
    let thread = try PlainThread { waits.sort() }
    let limit = Uptime.now() + RealTime.wedge
    var wait: WaitRecord.Snapshot?
    while wait == nil && Uptime.now() < limit {
      wait = WaitRegistry.shared.waits(withFunctions: true).first {
        $0.resource == Waits.resource
      }
    }
    waits.end()
    try thread.join()
    let stack = try #require(wait).functions
    let functions = stack.programFunctions(in: Symbolizer(stack.addresses))
    let inner = functions.firstIndex { $0.contains("Waits.waits() -> ()") }
    let outer = functions.firstIndex { $0.contains("Waits.sort() -> ()") }
    #expect(try #require(inner) < #require(outer), "\(functions)")
    #expect(
      !functions.contains { $0.contains(".sorted(by: ") || $0.contains("Parking.wait(") },
      "\(functions)")
  }
}

/// Waits in a function that the standard library calls.
private final class Waits: Sendable {
  static let resource = "the word of WaitStackTests"
  private let word = Atomic<UInt32>(0)

  @inline(never)
  func sort() {
    let numbers = [2, 1].sorted { first, second in
      waits()
      return first < second
    }
    precondition(numbers == [1, 2])
  }

  @inline(never)
  private func waits() {
    while word.load(ordering: .acquiring) == 0 {
      _ = Parking.wait(
        while: wordAddress(word), is: 0, until: .never, for: .test,
        on: .named("the word of WaitStackTests"))
    }
  }

  func end() {
    word.store(1, ordering: .releasing)
    Parking.wake(wordAddress(word))
  }
}
