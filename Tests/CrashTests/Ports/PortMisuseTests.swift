// Misuse of ports and of input sources with a descriptor.

import CountedFacts
import FoundationEssentials
import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("ports and sources of version 1 that are misused say which, and what to do")
struct PortMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Descriptors

    Misuse(
      "a source with a closed descriptor is added to a loop", says: "descriptor", "CFRunLoopSource",
      "not open", "open it first"
    ) {
      // A number that no other file gets in the meantime.
      let descriptor = fcntl(STDERR_FILENO, F_DUPFD, 200)
      close(descriptor)
      var context = CFRunLoopSourceContext1()
      context.version = 1
      context.getPort = { _ in descriptor }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
    }
    Misuse(
      "a source watches the descriptor of its own loop", says: "descriptor", "its own run loop",
      "watch another"
    ) {
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

    // MARK: Contexts

    Misuse(
      "a CFRunLoopSourceContext says version 1", says: "CFRunLoopSourceContext", "version 1",
      "CFRunLoopSourceContext1"
    ) {
      var context = CFRunLoopSourceContext()
      context.version = 1
      context.cancel = { _, _, _ in }
      _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    }
    Misuse(
      "a CFRunLoopSourceContext1 says version 0", says: "CFRunLoopSourceContext1", "version 0",
      "set the version to 1"
    ) {
      var context = CFRunLoopSourceContext1()
      _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    }
    Misuse(
      "a caller asks a source of version 0 for a context of version 1", says: "CFRunLoopSource",
      "has version 0"
    ) {
      var context = CFRunLoopSourceContext()
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      var other = CFRunLoopSourceContext1()
      other.version = 1
      CFRunLoopSourceGetContext(source, &other)
    }

    // MARK: Ports

    Misuse(
      "a message has a component of another type", says: "component", "String", "Port",
      "encode the value as Data"
    ) {
      Port().send(
        before: .distantFuture, components: ["text"], from: nil, reserved: 0)
    }
    Misuse(
      "a message comes from a port that no other process can reach", says: "<Port: valid>",
      "SocketPort", "another process", "send none"
    ) {
      SocketPort().send(
        before: .distantFuture, components: nil, from: Port(), reserved: 0)
    }
    Misuse("a message has a number that does not fit", says: "msgid -1", "Port", "32 bits") {
      Port().send(
        before: .distantFuture, msgid: -1, components: nil, from: nil, reserved: 0)
    }
  }

  // MARK: Descriptors

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
        // The loop runs in its mode again, and the number is unused.
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

  // MARK: Ports

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

  /// It can no longer wait for its connection: that is reported, and the process
  /// continues.
  @Test func sendingWithoutDescriptorsOnAFullConnection() throws {
    let outcome = try ChildProgram.run(
      DescriptorShortageScenario.aFullSocketPortWithoutDescriptors,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
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
