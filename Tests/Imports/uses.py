"""What a file may say behind each of the package's modules, and files that import several."""
import itertools
import random

# The modules in whose combinations names could clash; each with what is said behind it.
USES = {
    "SignalboxFoundation": """
func useFoundation{n}() {{
  let queue = OperationQueue(), loop: RunLoop = .current, timer: Timer? = nil
  _ = (queue.progress, loop, timer, Data(), URL(fileURLWithPath: "/"), Date())
  NSLock().withLock {{}}
  FileHandle.nullDevice.readInBackgroundAndNotify()
  FileHandle.nullDevice.readToEndOfFileInBackgroundAndNotify()
  FileHandle.nullDevice.waitForDataInBackgroundAndNotify()
  InputStream(data: Data()).schedule(in: loop, forMode: .default)
  NotificationQueue.default.enqueue(Notification(name: .init("name")), postingStyle: .now)
  _ = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: .main) {{ _ in }}
  _ = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) {{ _ in }}
  _ = Thread.current.threadDictionary["key"]
}}
class Operation{n}: Operation, @unchecked Sendable {{}}
extension Timer {{ static var number{n}: Int {{ 1 }} }}
""",
    "SignalboxXCTest": """
final class Case{n}: XCTestCase {{
  func testAll() throws {{
    let expectation = expectation(description: "all")
    DispatchQueue.main.async {{ expectation.fulfill() }}
    wait(for: [expectation], timeout: 1)
    let queue = OperationQueue(), loop: RunLoop = .current
    XCTAssertEqual(try XCTUnwrap(Optional(queue)), queue)
    XCTAssertTrue(loop === RunLoop.current)
    FileHandle.nullDevice.readInBackgroundAndNotify()
    throw XCTSkip("enough")
  }}
}}
""",
    "SignalboxFoundationNetworking": """
func useNetworking{n}() {{
  let queue: OperationQueue = .main, request: URLRequest? = nil
  let session = URLSession(configuration: .default, delegate: nil, delegateQueue: queue)
  _ = (session, request, URLSession(configuration: .default, delegate: nil, delegateQueue: nil))
}}
""",
    "Signalbox": """
func useSignalbox{n}() {{
  let queue = OperationQueue(), thread: Thread = .current, loop: RunLoop = .main
  _ = (queue, thread, loop, Date())
}}
""",
    "SignalboxDispatch": """
func useDispatch{n}() {{
  let queue = DispatchQueue(label: "org.example.imports"), group: DispatchGroup = .init()
  queue.async(group: group) {{ dispatchPrecondition(condition: .onQueue(queue)) }}
  _ = group.wait(timeout: .now() + .seconds(20))
  let timer: DispatchSourceTimer = DispatchSource.makeTimerSource(queue: queue)
  timer.activate()
  timer.cancel()
}}
func serveMain{n}() -> Never {{ dispatchMain() }}
""",
    "SignalboxConcurrency": """
func useConcurrency{n}() {{ _ = SignalboxExecutors.self }}
""",
}
# Each is a part of what the modules above bring, or has only members of their types.
PARTS = ("SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop", "SignalboxOperations",
         "SignalboxPatterns", "SignalboxTrace", "SignalboxBridges")
SEED = 7


def orders():
    """Modules as a file may import them: each order of up to three, pairs with the parts, and some
    orders of four to six."""
    chance = random.Random(SEED)
    for count in (1, 2, 3):
        yield from itertools.permutations(USES, count)
    for module, part in itertools.product(USES, PARTS):
        yield (module, part)
        yield (part, module)
    for count in (4, 5, 6):
        yield from chance.sample(list(itertools.permutations(USES, count)), 20)


def text(modules, number, attribute=""):
    """A file that imports the modules in that order and uses each."""
    lines = [f"{attribute}import {module}\n" for module in modules]
    return "".join(lines + [USES[module].format(n=number) for module in modules if module in USES])
