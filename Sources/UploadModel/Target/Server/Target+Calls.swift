extension Target {
  /// All requests to its server that are not uploads.
  package var calls: [Call] {
    serverCalls + [ticket?.call].compactMap(\.self) + run.calls.map(\.call)
      + (resume.pieces?.calls ?? []).map(\.call)
  }

  private var serverCalls: [Call] {
    [
      server.list?.call, server.get, server.delete, server.create, exists?.call, wait?.call,
      beforeRetry,
    ].compactMap(\.self)
  }

  package var templates: [Template] {
    [address, fileName, fileField].compactMap(\.self)
      + (fields + query + headers + publicHeaders).map(\.value)
      + (response.failures + response.duplicates.compactMap(\.rule)).compactMap(\.template)
      + (exists?.templates ?? []) + (wait?.templates ?? [])
      + serverCalls.flatMap(\.templates)
      + (ticket?.templates ?? []) + (prepare?.words ?? []) + (resume.pieces?.templates ?? [])
      + run.calls.flatMap(\.call.templates)
  }
}
