// Envelope — a message in transit: what a port keeps of a message until it is handled.

import FoundationEssentials
import SignalboxRuntime

struct Envelope {
  let number: UInt32
  /// Each component is a `Data` or a `Port`.
  let components: [Any]?
  let answers: Port?

  /// Creates an envelope for a message from another process.
  init(number: UInt32, components: [Any]?, answers: Port?) {
    self.number = number
    self.components = components
    self.answers = answers
  }

  /// Creates an envelope for a message to send. Traps if the message cannot carry its contents.
  init(_ number: Int, _ components: [Any]?, answers: Port?, to port: Port) {
    guard let fitting = UInt32(exactly: number) else {
      clientBug(
        "a message with the msgid \(number) was sent to \(port): the msgid must be an unsigned "
          + "number that fits in 32 bits.")
    }
    self.number = fitting
    self.components = components
    self.answers = answers
    for one in components ?? [] where !(one is Data || one is Port) {
      clientBug(
        "a component of type \(type(of: one)) was sent to \(port): a message can carry only Data "
          + "and ports. Encode the value as Data.")
    }
  }

  /// Converts the envelope to the message that the receiving port's delegate gets.
  func message(to port: Port?) -> PortMessage {
    let message = PortMessage(sendPort: answers, receivePort: port, components: components)
    message.msgid = number
    return message
  }
}
