/// A request to a target's server that is not an upload. Its placeholders are filled in each time it is sent.
package struct ServerCall: Hashable, Sendable {
  /// Where it goes: a whole URL once it is filled in.
  package var url: Template
  /// The HTTP method, in upper case.
  package var method: String
  /// The body, JSON once it is filled in; nil for none.
  package var json: Template?
  /// The fields of an `application/x-www-form-urlencoded` body; empty for none.
  package var form: [Target.Field] = []
  /// The media type of the body; nil for the one that goes with `json` or `form`.
  package var type: String?
  /// Query items that are added to the URL, in this order.
  package var query: [Target.Field] = []
  /// How its reply is judged.
  package var rules = ReplyRules()

  /// The media type of its body; nil if it has no body.
  var contentType: String? {
    if let type { return type }
    if json != nil { return "application/json" }
    return form.isEmpty ? nil : "application/x-www-form-urlencoded"
  }

  package var templates: [Template] {
    [url] + [json].compactMap(\.self) + (form + query).map(\.value)
  }

  package init(url: Template, method: String = "GET", json: Template? = nil) {
    (self.url, self.method, self.json) = (url, method, json)
  }
}

extension Target {
  /// All requests to its server that are not uploads.
  package var calls: [ServerCall] { serverCalls + [ticket?.call].compactMap(\.self) }

  private var serverCalls: [ServerCall] {
    [server.list?.call, server.get, server.delete, server.create, exists?.call, wait?.call]
      .compactMap(\.self)
  }

  package var templates: [Template] {
    [address, fileName, fileField].compactMap(\.self)
      + (fields + query + headers + publicHeaders).map(\.value)
      + (response.failures + response.duplicates).compactMap(\.template)
      + (exists?.templates ?? []) + (wait?.templates ?? [])
      + serverCalls.flatMap(\.templates)
      + (ticket?.templates ?? []) + (prepare?.words ?? []) + (resume.pieces?.templates ?? [])
      + run.calls.flatMap(\.call.templates)
  }
}
