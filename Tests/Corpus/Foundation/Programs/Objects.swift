// Objects — objects where Foundation expects its own: as delegates, in collections, compared.

import Foundation

final class Parsing: Operation, StreamDelegate, @unchecked Sendable {
  // SAFETY: changed by `main` only, read when it has finished.
  private(set) var names: [String] = []
  let text: String

  init(_ text: String) { self.text = text }

  override func main() {
    let stream = InputStream(data: Data(text.utf8))
    stream.delegate = self
    var bytes = [UInt8](repeating: 0, count: 256)
    stream.open()
    let count = stream.read(&bytes, maxLength: 256)
    stream.close()
    names = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split(separator: " ").map(String.init)
  }

  override var description: String { "parsing \(text)" }
}

enum Objects {
  static func run() {
    let parsing = Parsing("one two three")
    let queue = OperationQueue()
    queue.addOperations([parsing], waitUntilFinished: true)
    print(parsing.names, parsing, parsing.debugDescription)

    let objects: [any NSObjectProtocol] = [parsing, queue, Thread.current, NSLock(), RunLoop.main]
    for object in objects {
      print(
        object.isEqual(parsing), object.isEqual(nil), object.hash == object.hash, object.isProxy())
    }
    let array = NSArray(array: [parsing, queue])
    print(array.count, array[0] as? Operation === parsing, array[1] as AnyObject === queue)
    let dictionary = NSMutableDictionary()
    dictionary["queue"] = queue
    print((dictionary["queue"] as? OperationQueue) === queue)
    let reporting: any ProgressReporting = queue
    print(reporting.progress === queue.progress)
    let note = Notification(
      name: .init("corpus.object"), object: parsing, userInfo: ["queue": queue])
    print(
      (note.object as? Operation) === parsing, note.userInfo?["queue"] as? OperationQueue === queue)
    let any: AnyHashable = parsing
    print(any == AnyHashable(parsing), any.base as? Operation === parsing)
    print(parsing.isEqual(parsing), queue.hash == queue.hash)
  }
}
