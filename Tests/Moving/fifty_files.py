"""Fifty files that import the toolchain's modules in every form: a program's sources, in three targets."""
import itertools

# Declarations that a file uses, by the module that they come from.
BODIES = {
    "Foundation": """  let queue = OperationQueue(), loop: RunLoop = .current, timer: Timer? = nil
  queue.addOperation {{ Thread.current.name = "file {n}" }}
  queue.waitUntilAllOperationsAreFinished()
  NSLock().withLock {{}}
  _ = (loop, timer, Date(), Data(), URL(fileURLWithPath: "/"))
""",
    "Dispatch": """  let serial = DispatchQueue(label: "file {n}"), group = DispatchGroup()
  serial.async(group: group) {{ dispatchPrecondition(condition: .onQueue(serial)) }}
  group.wait()
""",
    "FoundationNetworking": """  let request = URLRequest(url: URL(string: "http://localhost/{n}")!)
  _ = (request, URLSession(configuration: .default, delegate: nil, delegateQueue: .main))
""",
    "CoreFoundation": """  let stop: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
  let words = CFStringCreateWithCString(nil, "words", CFStringBuiltInEncodings.UTF8.rawValue)
  _ = (stop, CFRunLoopGetCurrent(), CFStringGetLength(words))
""",
    "thread": """  let thread = Thread {{}}
  thread.start()
  _ = URL(fileURLWithPath: "/")
""",
}
ALL = ("Foundation", "Dispatch", "FoundationNetworking")
# Access levels; where one file of a module has them, no other file may leave them out.
LEVELS = ("internal import {}", "fileprivate import {}", "private import {}", "package import {}",
          "@preconcurrency public import {}")
# How one import statement may be written.
STATEMENTS = (
    "import {}", "@preconcurrency import {}", "  import {}", "\timport {}  // import Dispatch",
    "/* import XCTest */ import {} /* and no more */", "@preconcurrency\nimport {}", "import\n  {}", "import `{}`",
    "import Glibc; import {}", "import {}; import {}", "import {};", "#if canImport({})\n  import {}\n#endif",
    "#if os(Linux)\n  import {}\n#else\n  import Darwin\n#endif")
# What several modules may be imported by.
TOGETHER = (
    "import Dispatch\nimport Foundation", "import Foundation; import Dispatch",
    "@preconcurrency import Dispatch\nimport Foundation",
    "import Dispatch\n#if canImport(Foundation)\n  import Foundation\n#endif",
    "import Foundation\nimport Dispatch  // again",
    "#if DEBUG\n  import Foundation\n#else\n  import Foundation\n#endif\nimport Dispatch")
SINGLE = """import class Foundation.Thread
import struct Foundation.URL; @preconcurrency import class Foundation.OperationQueue
"""
TEXT = 'let words{n} = """\n  import Foundation\n  import Dispatch\n  """\n'
REGEX = 'let quotes{n} = "words".matches(of: #/"""/#).count\n'


def file(number, head, bodies, access=""):
    """A file that has these lines at its head and uses these modules."""
    used = "".join(BODIES[body] for body in bodies).format(n=number)
    return f"{head}\n\n{access}func use{number}() {{\n{used}}}\n"


def heads():
    """The head of each file, and what it uses."""
    for number, statement in enumerate(STATEMENTS):
        module = ALL[number % 2]
        yield statement.replace("{}", module), (module,)
    for statement in STATEMENTS[:4]:
        yield f"{statement.format('FoundationNetworking')}\n{statement.format('Foundation')}", ALL[2:]
    for lines in TOGETHER:
        yield lines, ALL[:2]
    for order in itertools.permutations((*ALL, "CoreFoundation"), 3):
        if "Foundation" in order:
            yield "\n".join(map("import {}".format, order)), order
    yield SINGLE, ("thread",)
    yield "@testable import Passing", ALL[:2]


def files():
    """The sources by their paths, `main.swift` among them, which calls what each of the others has."""
    made = {f"Fifty/File{number}.swift": file(number, *each) for number, each in enumerate(heads())}
    made["Fifty/File0.swift"] = TEXT.format(n=0) + REGEX.format(n=0) + made["Fifty/File0.swift"]
    for number, level in enumerate(LEVELS, len(made)):
        module = ALL[number % 2]
        made[f"Levels/File{number}.swift"] = file(number, level.format(module), (module,), "public ")
    calls = "".join(f"use{number}()\n" for number in range(len(made)))
    made["Passing/Exports.swift"] = "@_exported import Foundation\n@_exported public import Dispatch\n"
    made["Fifty/main.swift"] = f"import Levels\n\n{calls}print(\"{len(made) + 1} files\")\n"
    return made
