// ItemLifeTests — a loop retains nothing that has left it.

import FoundationEssentials
import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

/// One kind of item, and how the C interface adds, removes and ends it.
struct ItemKind: Sendable, CustomTestStringConvertible {
  let name: String
  /// The watched object, and the operations on it.
  let make: @Sendable () -> Made
  var testDescription: String { name }

  struct Made {
    let item: RunLoopItem
    let add: (CFRunLoop, CFRunLoopMode) -> Void
    let remove: (CFRunLoop, CFRunLoopMode) -> Void
    let isIn: (CFRunLoop, CFRunLoopMode) -> Bool
    let invalidate: () -> Void
  }

  private static func made(_ source: CFRunLoopSource) -> Made {
    Made(
      item: source, add: { CFRunLoopAddSource($0, source, $1) },
      remove: { CFRunLoopRemoveSource($0, source, $1) },
      isIn: { CFRunLoopContainsSource($0, source, $1) },
      invalidate: { CFRunLoopSourceInvalidate(source) })
  }

  static let all = [
    ItemKind(name: "source of version 0") { made(makeSource()) },
    ItemKind(name: "source of version 1") { made(.watching(0) {}) },
    ItemKind(name: "timer") {
      let timer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, 1e10, 1, 0, 0) { _ in }!
      return Made(
        item: timer, add: { CFRunLoopAddTimer($0, timer, $1) },
        remove: { CFRunLoopRemoveTimer($0, timer, $1) },
        isIn: { CFRunLoopContainsTimer($0, timer, $1) },
        invalidate: { CFRunLoopTimerInvalidate(timer) })
    },
    ItemKind(name: "observer") {
      let observer = makeObserver(of: .allActivities) { _ in }
      return Made(
        item: observer, add: { CFRunLoopAddObserver($0, observer, $1) },
        remove: { CFRunLoopRemoveObserver($0, observer, $1) },
        isIn: { CFRunLoopContainsObserver($0, observer, $1) },
        invalidate: { CFRunLoopObserverInvalidate(observer) })
    },
  ]
}

@Suite struct ItemLifeTests {
  private static let commonNames = [
    RunLoop.Mode.default, .eventTracking, .modalPanel,
  ].map { CFRunLoopMode($0) }

  /// When the item is freed, it finds its loops through the modes that contain it. If no mode
  /// of a loop contains it, it must not be among the loop's common items either.
  @Test(arguments: ItemKind.all)
  func itemRemovedFromEachCommonModeByNameIsFreed(_ kind: ItemKind) throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let watch = WeakWatch()
      do {
        let made = kind.make()
        watch.watch(made.item)
        made.add(loop, .commonModes)
        for name in Self.commonNames {
          #expect(made.isIn(loop, .commonModes), "before it has left \(name.rawValue)")
          made.remove(loop, name)
        }
        #expect(!made.isIn(loop, .commonModes))
        made.invalidate()
      }
      #expect(watch.alive == 0)
    }
  }

  /// The item stays a common item while another mode contains it, so modes that join the common
  /// modes get it.
  @Test(arguments: ItemKind.all)
  func itemOfAnotherModeIsACommonOneUntilItIsRemoved(_ kind: ItemKind) throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let watch = WeakWatch()
      let (other, late) = (CFRunLoopMode("other"), CFRunLoopMode("late"))
      do {
        let made = kind.make()
        watch.watch(made.item)
        made.add(loop, .commonModes)
        made.add(loop, other)
        for name in Self.commonNames { made.remove(loop, name) }
        #expect(made.isIn(loop, .commonModes))
        CFRunLoopAddCommonMode(loop, late)
        #expect(made.isIn(loop, late))
        made.invalidate()
        #expect(!made.isIn(loop, .commonModes) && !made.isIn(loop, other))
      }
      #expect(watch.alive == 0)
    }
  }

  @Test(arguments: ItemKind.all)
  func itemAddedToALoopThatHasEndedMayBeAddedElsewhere(_ kind: ItemKind) throws {
    let ended = try onPlainThread { CFRunLoopGetCurrent()! }
    try onPlainThread {
      let watch = WeakWatch()
      do {
        let made = kind.make()
        watch.watch(made.item)
        for name in [CFRunLoopMode.defaultMode, .commonModes] {
          made.add(ended, name)
          #expect(!made.isIn(ended, name))
          made.add(CFRunLoopGetCurrent(), name)
          #expect(made.isIn(CFRunLoopGetCurrent(), name))
        }
        made.invalidate()
      }
      #expect(watch.alive == 0)
    }
  }

  @Test(arguments: ItemKind.all)
  func everythingAfterTheFirstInvalidationHasNoEffect(_ kind: ItemKind) throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let made = kind.make()
      made.add(loop, .commonModes)
      for _ in 0..<2 {
        made.invalidate()
        #expect(!made.item.isValid)
        made.add(loop, .commonModes)
        made.add(loop, .defaultMode)
        #expect(!made.isIn(loop, .commonModes) && !made.isIn(loop, .defaultMode))
        made.remove(loop, .defaultMode)
      }
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, false) == .finished)
    }
  }

  @Test func portRemovedFromEachCommonModeByNameIsFreed() throws {
    try onPlainThread {
      let watch = WeakWatch()
      do {
        let port = watch.watch(Port())
        watch.watch(port.mail)
        RunLoop.current.add(port, forMode: .common)
        for name in Self.commonNames { RunLoop.current.remove(port, forMode: RunLoop.Mode(name)) }
        port.invalidate()
      }
      #expect(watch.alive == 0)
    }
  }
}
