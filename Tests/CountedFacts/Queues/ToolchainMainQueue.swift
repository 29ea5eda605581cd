// ToolchainMainQueue — the toolchain's main queue beside ours. Code that knows only the
// toolchain's libdispatch submits work to its main queue. That work must run on the first thread
// while the thread drains our main queue.

import SignalboxDispatch
import Glibc

package enum ToolchainMainQueueScenario: String, CountedScenario {
  case toolchainMainWorkRunsWhileMainIsDrained = "toolchain-main-work-runs-while-main-is-drained"
  case mainActorWorkRunsWhileMainIsDrained = "main-actor-work-runs-while-main-is-drained"
}

extension ToolchainMainQueueScenario: Scenario {
  func run() {
    switch self {
    case .toolchainMainWorkRunsWhileMainIsDrained:
      let toolchain = ToolchainDispatch()
      // Before the first thread drains …
      for _ in 0..<10 { toolchain.asyncOnMain(countToolchainItem) }
      // … and from a worker while the first thread sleeps.
      DispatchQueue.global().async {
        for _ in 0..<10 {
          sleepInKernel(milliseconds: 20)
          toolchain.asyncOnMain(countToolchainItem)
          DispatchQueue.main.async { ownItems.increment() }
        }
        toolchain.asyncOnMain { _ in
          DispatchQueue.main.async {
            report("toolchainItems", toolchainItems.count)
            report("ownItems", ownItems.count)
            report("strays", strays.count)
            exit(0)
          }
        }
      }
      dispatchMain()
    case .mainActorWorkRunsWhileMainIsDrained:
      Task.detached {
        for _ in 0..<10 {
          await countOnMainActor()
          try? await Task.sleep(nanoseconds: 5_000_000)
        }
        await MainActor.run {
          report("mainActorJobs", toolchainItems.count)
          report("strays", strays.count)
          exit(0)
        }
      }
      dispatchMain()
    }
  }
}

private let toolchainItems = Tally()
private let ownItems = Tally()
private let strays = Tally()

private func countToolchainItem(_ context: UnsafeMutableRawPointer?) {
  if ownThreadNumber() != Int(getpid()) { strays.increment() }
  toolchainItems.increment()
}

@MainActor private func countOnMainActor() { countToolchainItem(nil) }

/// The toolchain's library, loaded by name as a plug-in would load it.
struct ToolchainDispatch: @unchecked Sendable {
  // SAFETY: immutable; the function may be called from any thread.
  private typealias Work = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Async =
    @convention(c) (
      UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Work
    ) -> Void
  private let mainQueue: UnsafeMutableRawPointer
  private let async: Async

  init() {
    guard let library = dlopen("libdispatch.so", RTLD_NOW | RTLD_GLOBAL) else {
      fail("libdispatch.so cannot be loaded: \(String(cString: dlerror()))")
    }
    guard let queue = dlsym(library, "_dispatch_main_q"),
      let function = dlsym(library, "dispatch_async_f")
    else { fail("libdispatch.so has no main queue") }
    mainQueue = queue
    // SAFETY: dispatch/queue.h declares this signature.
    async = unsafeBitCast(function, to: Async.self)
  }

  func asyncOnMain(_ work: @convention(c) (UnsafeMutableRawPointer?) -> Void) {
    async(mainQueue, nil, work)
  }
}
