// Misuse of ports and of input sources with a descriptor.

import FoundationEssentials
import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("ports and sources of version 1 that are misused say which, and what to do")
struct PortMisuseTests {
  // MARK: Descriptors

  @Test func addingASourceWithAClosedDescriptor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        // A number that nobody else gets meanwhile.
        let descriptor = fcntl(STDERR_FILENO, F_DUPFD, 200)
        close(descriptor)
        var context = CFRunLoopSourceContext1()
        context.version = 1
        context.getPort = { _ in descriptor }
        let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "descriptor", "CFRunLoopSource", "not open",
      "open it first")
  }

  @Test func aDescriptorThatIsClosedWhileTheLoopHasIt() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let descriptor = fcntl(STDERR_FILENO, F_DUPFD, 200)
        var context = CFRunLoopSourceContext1()
        context.version = 1
        context.getPort = { _ in descriptor }
        let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
        let other = Port()
        RunLoop.current.add(other, forMode: .default)
        let second = Port()
        RunLoop.current.add(second, forMode: RunLoop.Mode("second"))
        CFRunLoopRunInMode(.defaultMode, 0.001, false)
        close(descriptor)
        // Its mode comes back, and the number is nobody's.
        CFRunLoopRunInMode(CFRunLoopMode("second"), 0.001, false)
        CFRunLoopRunInMode(.defaultMode, 0.001, false)
      }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("was closed while its source was in the mode"), "\(text)")
    #expect(text.contains("is closed, so the source is never performed again"), "\(text)")
    #expect(text.contains("invalidate a source before its descriptor is closed"), "\(text)")
  }

  @Test func watchingTheLoopsOwnSet() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        // The sets of this process: the loop's is among them.
        let port = Port()
        RunLoop.current.add(port, forMode: .default)
        CFRunLoopRunInMode(.defaultMode, 0.001, false)
        for descriptor in Int32(3)..<64 {
          var path = [UInt8](repeating: 0, count: 64)
          let length = path.withUnsafeMutableBytes {
            readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, $0.count)
          }
          guard length > 0,
            String(decoding: path[..<length], as: UTF8.self) == "anon_inode:[eventpoll]"
          else { continue }
          var context = CFRunLoopSourceContext1()
          context.version = 1
          context.getPort = { _ in descriptor }
          let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
          CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
          CFRunLoopRunInMode(.defaultMode, 0.001, false)
          CFRunLoopSourceInvalidate(source)
        }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "descriptor", "its own run loop", "watch another")
  }

  // MARK: Contexts

  @Test func aContextOfAnotherVersionThanItSays() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        var context = CFRunLoopSourceContext()
        context.version = 1
        context.cancel = { _, _, _ in }
        _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "CFRunLoopSourceContext", "version 1",
      "CFRunLoopSourceContext1")
  }

  @Test func aContext1ThatSaysAnotherVersion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        var context = CFRunLoopSourceContext1()
        _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "CFRunLoopSourceContext1", "version 0",
      "set the version to 1")
  }

  @Test func askingASourceForTheOtherContext() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        var context = CFRunLoopSourceContext()
        let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        var other = CFRunLoopSourceContext1()
        other.version = 1
        CFRunLoopSourceGetContext(source, &other)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "CFRunLoopSource", "the version 0")
  }

  // MARK: Ports

  @Test func aComponentThatNoMessageCarries() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        Port().send(
          before: .distantFuture, components: ["text"], from: nil, reserved: 0)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "component", "String", "Port", "put it into a Data")
  }

  @Test func aPortThatNoOtherProcessCanReach() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        SocketPort().send(
          before: .distantFuture, components: nil, from: Port(), reserved: 0)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "<Port: valid>", "SocketPort", "another process",
      "send none")
  }

  @Test func aMessageThatIsTooLarge() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let wasSent = SocketPort().send(
        before: .distantFuture, components: [Data(count: 17 << 20)], from: nil, reserved: 0)
      exit(wasSent ? EXIT_FAILURE : EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("was not sent to <SocketPort: local, valid>"), "\(text)")
  }

  /// It can wait for its connection no more: that is said, and the process goes on.
  @Test func sendingWithoutDescriptorsOnAFullConnection() throws {
    let outcome = try ChildProgram("CountedFacts").run(
      ["a-full-socket-port-without-descriptors"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let facts = outcome.facts
    #expect(facts["sentBefore"] == "1")
    #expect(facts["sentWithout"] == "0")
    #expect(facts["sentAfter"] == "1")
    #expect(facts["isValid"] == "1")
    #expect(outcome.standardError.contains("a message was not sent by a socket port"))
    #expect(outcome.standardError.contains("no descriptor left (ulimit -n)"))
  }

  @Test func aSenderThatEndsInTheMiddleOfAMessage() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let port = SocketPort()
        RunLoop.current.add(port, forMode: .default)
        for _ in 0..<3 {
          let peer = socket(AF_INET, port.socketType, 0)
          // SAFETY: what the port calls an address is one.
          let result = port.address.withUnsafeBytes {
            connect(
              peer, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
          }
          if result != 0 { exit(EXIT_FAILURE) }
          _ = "SBPM".withCString { send(peer, $0, 4, 0) }
          close(peer)
          // Nothing is handled: the loop waits until the time is over.
          CFRunLoopRunInMode(.defaultMode, RealTime.settling / .seconds(1), true)
        }
        // Where it was held up in each of these, it comes to it now.
        for _ in 0..<50 {
          CFRunLoopRunInMode(.defaultMode, RealTime.settling / .seconds(1), true)
        }
      }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a part of a message, whose sender has ended"), "\(text)")
    #expect(text.split(separator: "whose sender").count == 2, "said once: \(text)")
  }

  @Test func aMessageNumberThatDoesNotFit() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        Port().send(
          before: .distantFuture, msgid: -1, components: nil, from: nil, reserved: 0)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "msgid -1", "Port", "32 bits")
  }

  @Test func aMessageToAPortWithoutADelegate() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let port = Port()
        RunLoop.current.add(port, forMode: .default)
        for _ in 0..<3 {
          port.send(before: .distantFuture, components: nil, from: nil, reserved: 0)
        }
        CFRunLoopRunInMode(.defaultMode, 0.001, false)
      }
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("no delegate"), "\(text)")
    #expect(text.contains("Set the delegate before"), "\(text)")
    #expect(text.split(separator: "no delegate").count == 2, "said once: \(text)")
  }
}
