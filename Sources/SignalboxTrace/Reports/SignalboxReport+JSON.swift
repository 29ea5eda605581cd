// SignalboxReport+JSON — the report as JSON.

import SignalboxDiagnostics
import SignalboxRuntime

extension SignalboxReport {
  /// The report as JSON, on one line. The object starts with `format` and
  /// `version`, followed by the properties of this value under their own names.
  /// Unknown values are `null`. Times are in nanoseconds.
  ///
  /// ```
  /// {"format":"signalbox-report","version":1,"process":4711,"uptime":81237…,"threads":[{"number":7,…
  /// ```
  ///
  /// Later releases may add members. A member changes its meaning only with
  /// another `version`.
  public var json: String {
    let names = functionNames
    var json = ReportJSON()
    json.object { json in
      json.text("format", "signalbox-report")
      json.number("version", 1)
      json.number("process", process)
      json.number("uptime", uptime)
      json.texts("notes", notes)
      json.array("threads", of: threads) { $1.write(to: &$0, names) }
      json.array("queues", of: queues) { $1.write(to: &$0) }
      json.number("timerCount", timerCount)
      json.array("timers", of: timers) { $1.write(to: &$0) }
      json.array("operationQueues", of: operationQueues) { $1.write(to: &$0) }
      json.array("runLoops", of: runLoops) { $1.write(to: &$0) }
      json.array("pools", of: pools) { $1.write(to: &$0) }
    }
    return json.text
  }
}

extension SignalboxReport.Thread {
  fileprivate func write(to json: inout ReportJSON, _ names: Symbolizer) {
    json.number("number", number)
    json.number("kernelID", kernelID)
    json.text("name", name)
    json.flag("isMain", isMain)
    json.text("state", state.rawValue)
    guard let wait else { return }
    json.object("wait") { json in
      json.text("reason", wait.reason)
      json.text("resource", wait.resource)
      json.text("place", wait.place)
      json.text("task", wait.task)
      json.number("length", wait.length)
      json.flag("isTimed", wait.isTimed)
      json.number("owner", wait.owner)
      json.text("ownerTitle", wait.ownerTitle)
      json.texts("functions", wait.stack.programFunctions(in: names))
    }
  }
}

extension SignalboxReport.Queue {
  fileprivate func write(to json: inout ReportJSON) {
    json.text("label", label)
    json.text("kind", kind.rawValue)
    json.text("target", target)
    json.number("count", count)
    json.flag("hasMore", hasMore)
    json.number("oldest", oldest)
    json.number("owner", owner)
    json.number("running", running)
    json.flag("isSuspended", isSuspended)
    json.flag("isInactive", isInactive)
  }
}

extension SignalboxReport.Timer {
  fileprivate func write(to json: inout ReportJSON) {
    json.number("dueIn", dueIn)
    json.number("leeway", leeway)
    json.number("interval", interval)
    json.text("clock", clock.rawValue)
    json.text("purpose", purpose.rawValue)
    json.text("queue", queue)
  }
}

extension SignalboxReport.OperationQueue {
  fileprivate func write(to json: inout ReportJSON) {
    json.text("name", name)
    json.number("count", count)
    json.number("running", running)
    json.flag("isSuspended", isSuspended)
    json.array("operations", of: operations) { json, operation in
      json.text("title", operation.title)
      json.text("state", operation.state.rawValue)
      json.flag("isCancelled", operation.isCancelled)
      json.number("unfinished", operation.unfinished)
      json.texts("waitsFor", operation.waitsFor)
    }
  }
}

extension SignalboxReport.RunLoop {
  fileprivate func write(to json: inout ReportJSON) {
    json.number("thread", thread)
    json.flag("isMain", isMain)
    json.text("mode", mode)
    json.number("depth", depth)
    json.flag("isAsleep", isAsleep)
    json.text("step", step)
    json.number("timers", timers)
    json.number("nextTimer", nextTimer)
    json.number("blocks", blocks)
  }
}

extension SignalboxReport.Pool {
  fileprivate func write(to json: inout ReportJSON) {
    json.text("name", name)
    json.number("width", width)
    json.number("workers", workers)
    json.number("running", running)
    json.number("pending", pending)
  }
}
