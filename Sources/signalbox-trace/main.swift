// signalbox-trace — prints a summary of a recording, or converts it to another
// format.

import Glibc
import SignalboxTrace

let usage = """
  usage: signalbox-trace FILE.sbtrace [-o OUT]
         signalbox-trace advice FILE.sbtrace
         signalbox-trace --check -o OUT

  Prints where the time of a recording went. With -o it writes the recording to OUT, in the
  form that its name says: .html a page, .json, .txt, .perfetto-trace or .pftrace, .sbtrace.
  With advice it prints the classic mistakes that the recording shows, where they were made
  (if it was recorded with SIGNALBOX_ADVICE=1 too) and what to do instead. With --check it only
  says, by its status, whether OUT can be written.

  """

/// Exits with a message: status 1 for an error, 2 for wrong arguments.
func fail(_ text: String, status: Int32 = 1) -> Never {
  _ = write("signalbox-trace: \(text)\n", to: STDERR_FILENO)
  exit(status)
}

func put(_ text: String) {
  let error = write(text, to: STDOUT_FILENO)
  if error != 0 { fail("standard output: \(String(cString: strerror(error)))") }
}

/// Returns 0, or an errno.
func write(_ text: String, to descriptor: Int32) -> Int32 {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
    if count < 0 && errno != EINTR { return errno }
    rest = rest.dropFirst(max(0, count))
  }
  return 0
}

switch Arguments(CommandLine.arguments.dropFirst()) {
case .help: put(usage)
case .wrong(let problem): fail("\(problem)\n\(usage)", status: 2)
case .summary(let input): run(input) { put(PlainText(TraceModel(try TraceRecording($0))).summary) }
case .advice(let input): run(input) { put(PlainText(TraceModel(try TraceRecording($0))).advice) }
case .check(let output):
  checkFormat(of: output)
  do throws(TraceExportError) { try TraceExport.check(output) } catch { fail("\(error)") }
case .export(let input, let output):
  checkFormat(of: output)
  run(input) { try TraceExport.write(rawImage: $0, to: output) }
}

func checkFormat(of output: String) {
  if TraceFormat(path: output) == nil {
    fail("\(TraceExportError.unknownFormat(path: output))\n\(usage)", status: 2)
  }
}

func run(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) {
  do {
    let image = try ImageFile.read(path)
    try image.withUnsafeBytes { try body($0) }
  } catch let error as TraceImageError {
    fail("\(path): \(error)")
  } catch TraceExportError.notARecording(let error) {
    fail("\(path): \(error)")
  } catch {
    fail("\(error)")
  }
}
