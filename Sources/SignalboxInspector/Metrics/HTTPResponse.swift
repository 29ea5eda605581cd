// HTTPResponse — the answers of `signalbox metrics --listen`.

package struct HTTPResponse {
  private let status: String
  private let headers: [String]
  private let body: [UInt8]
  private let hasBody: Bool

  private init(_ status: String, _ headers: [String], _ body: String, hasBody: Bool) {
    self.status = status
    self.headers = headers
    self.body = Array(body.utf8)
    self.hasBody = hasBody
  }

  /// The answer to a request. If `request` is nil, what has arrived is not a request.
  ///
  /// - Parameter metrics: makes the text of the metrics.
  package init(to request: HTTPRequestHead?, _ metrics: () -> String) {
    let plain = ["Content-Type: text/plain; charset=utf-8"]
    guard let request else {
      self.init("400 Bad Request", plain, "This is no request of HTTP/1.1.\n", hasBody: true)
      return
    }
    let hasBody = request.method != "HEAD"
    guard request.path == "/metrics" else {
      self.init("404 Not Found", plain, "The metrics are at /metrics.\n", hasBody: hasBody)
      return
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      self.init(
        "405 Method Not Allowed", plain + ["Allow: GET, HEAD"], "Use GET.\n", hasBody: hasBody)
      return
    }
    self.init(
      "200 OK", ["Content-Type: \(ExpositionText.contentType)"], metrics(), hasBody: hasBody)
  }

  package var bytes: [UInt8] {
    let lines =
      ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(body.count)", "Connection: close"]
    return Array((lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8) + (hasBody ? body : [])
  }
}
