/// The requests before the first file of a run and after the last one, which create and publish a draft, for example,
/// or create an album. A run is one push or, in the queue, the time during which there are files to send to the target.
package struct RunRules: Hashable, Sendable {
  /// The request before the first file, whose reply gives values for all other requests; nil if the target has no such
  /// request.
  package var open: Call?
  /// What comes after the last file; nil if nothing does.
  package var close: Closing?

  /// The end of a run.
  package struct Closing: Hashable, Sendable {
    /// The request after the last file.
    package var call = Call(method: "POST")
    /// The request that discards what the run has made; nil if the target has no such request.
    package var abort: Call?
    /// What happens if a file has failed, or its outcome is unknown.
    package var onFailure = OnFailure.keep

    package init() {}
  }

  /// What happens to a run in which a file has failed.
  package enum OnFailure: String, Hashable, Sendable, CaseIterable {
    /// It stays open until the server has the file or the user no longer wants to send it.
    case keep
    /// It is closed anyway.
    case close
    /// It is discarded.
    case abort
  }

  package init() {}

  /// Whether there is anything to do before or after the files.
  package var isOn: Bool { open != nil || close != nil }

  /// The names of the values that the reply to `open` gives.
  package var names: Set<String> { Set((open?.values ?? []).map(\.name)) }

  /// The requests, with their names in the configuration.
  package var calls: [(name: String, call: Call)] {
    [("open", open), ("close", close?.call), ("abort", close?.abort)]
      .compactMap { name, call in call.map { (name, $0) } }
  }
}
