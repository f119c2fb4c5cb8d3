import ScalarText
import UploadModel

/// Tells the user how to resend the files that failed, with the report that is being written.
package struct RetryHint {
  var report: String
  /// The target, as the user named it.
  var target: String?
  /// The options that the target also needs, whose values must not be shown.
  var options: [String] = []
  /// The options that say where the target's configuration and the history are, each with its file, as the user gave
  /// them.
  var files: [(option: String, path: String)] = []

  package init(
    report: String, target: String? = nil, options: [String] = [],
    files: [(option: String, path: String)] = []
  ) {
    (self.report, self.target, self.options, self.files) = (report, target, options, files)
  }

  /// The hint; nil if nothing failed, or if the files that failed belong to a run that cannot be continued.
  func text(for summary: PushSummary) -> String? {
    if summary.run?.point != nil, summary.openRun == nil { return nil }
    return text(for: summary.failed.map(\.failure))
  }

  /// The hint; nil if nothing failed.
  func text(for failures: [Failure]) -> String? {
    let others = failures.filter { !$0.isClash }
    let hints = [others.count < failures.count ? Self.apart : nil, retry(others)]
    let text = hints.compactMap(\.self).joined(separator: "; ")
    return text.isEmpty ? nil : text
  }

  /// What to do about files that would overwrite others.
  private static let apart =
    "a retry does not send files that would overwrite others: give them different names with ';name=…' or {file.path} in the "
    + "target's address"

  private func retry(_ failures: [Failure]) -> String? {
    if failures.isEmpty { return nil }
    let unclear = failures.count(where: \.mayHaveArrived)
    // A key is pinned for a target of the configuration, not for an address.
    let needsName =
      target?.contains(scalars: "://") == true && failures.contains(where: \.isSelfSigned)
    let to =
      if !options.isEmpty {
        ", with \(SafeText.line(TargetName.words(options))) as before"
          + (needsName ? ", but --to with the name that hoist trust gives" : "")
      } else if needsName {
        " --to NAME, with the name that hoist trust gives"
      } else {
        target.map { " --to \(Self.word($0))" } ?? ""
      }
    let places = files.map { " \($0.option) \(Self.word($0.path))" }.joined()
    let retry = "hoist push --retry-failed \(Self.word(report))\(places)"
    if unclear == failures.count {
      return
        "check the server; if nothing has arrived, send all again: \(retry) --even-arrived\(to)"
    }
    let rest =
      unclear > 0 ? " (check the server; --even-arrived also sends what may have arrived)" : ""
    // What needs a person fails again until it is mended.
    let mended = failures.allSatisfy(\.needsPerson) ? "once that is fixed, " : ""
    return "\(mended)send the failed files again: \(retry)\(to)\(rest)"
  }

  private static func word(_ text: String) -> String { ShellWord.quoted(SafeText.line(text)) }
}
