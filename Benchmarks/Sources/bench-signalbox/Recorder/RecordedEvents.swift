// What an event costs: the same work with the recorder on and off, in turn.

import BenchmarkRecord
import CBenchmark
import SignalboxTrace

/// The nanoseconds of processor time that an event adds to what `perform` does: the median over
/// pairs of runs, one that is recorded and one that is not.
///
/// Processor time, because a thread that loses its processor in one of the two is no cost.
func eventCost(
  _ effort: Effort, events: Int, threads: Int = 1, _ perform: (_ operations: Int) -> Void
) -> Double {
  let isFull = effort.samples > 1
  let operations = isFull ? 50_000 : 1_000
  let expected = operations * events * threads
  let differences = (0..<(isFull ? 25 : 1)).map { _ in
    perform(operations / 10)
    let plain = processorTime { perform(operations) }
    startRecorder()
    fillRecorder(effort)
    perform(operations / 10)
    let before = Recorded.events()
    let recorded = processorTime { perform(operations) }
    let found = Recorded.events() - before
    TraceRecorder.stop()
    precondition(found >= expected, "\(found) events were recorded, not \(expected)")
    return (Double(recorded) - Double(plain)) / Double(expected)
  }
  return Quantiles(differences).median
}

/// What all threads of the process use while `body` runs, in nanoseconds.
func processorTime(_ body: () -> Void) -> UInt64 {
  let start = cbench_processor_time()
  body()
  return cbench_processor_time() - start
}

func startRecorder(memory: Int = TraceRecorder.Options().memory) {
  var options = TraceRecorder.Options()
  options.memory = memory
  do { try TraceRecorder.start(options) } catch { fatalError("\(error)") }
}

/// Goes once through the recorder's memory: the system gives it out at the first touch, and a
/// program that runs for more than a moment has all of it.
func fillRecorder(_ effort: Effort) {
  let queue = DispatchQueue(label: "fill")
  for _ in 0..<(effort.samples > 1 ? Recorded.room / 2 : 100) { queue.sync {} }
}

/// What a recording says of itself.
enum Recorded {
  /// How many events fit into the memory that is usual.
  static var room: Int { TraceRecorder.Options().memory / 32 }

  /// How many events were recorded so far, those that were written over included. The
  /// offsets are those of Documentation/Internals/Trace.md.
  static func events() -> Int {
    let image = TraceRecorder.snapshot()
    return image.withUnsafeBytes { bytes in
      func word(_ offset: Int) -> Int {
        Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      }
      let lost = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 48, as: UInt64.self))
      let (header, names, size, count) = (word(12), word(16), word(20), word(24))
      return (0..<count).reduce(Int(lost)) { events, place in
        events + word(header + names + place * size + 4)
      }
    }
  }
}
