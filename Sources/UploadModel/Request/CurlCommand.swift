import Foundation

/// The command that makes curl send what hoist would send. Secrets are shell variables, so that the
/// command can be shown and copied; every other word is quoted (`ShellWord`).
///
/// It needs curl 7.81 or newer, which encodes forms as browsers do, or 7.87 to sign requests to S3. A file that goes in
/// pieces takes several commands, which form a script (`PieceScript`).
package struct CurlCommand: Hashable, Sendable {
  /// Each option with its value, as a shell reads it.
  let lines: [String]

  /// The command as a shell reads it, with one option on each line.
  package let text: String

  /// The variables that must be set for the command, each once.
  package let variables: [String]

  /// Makes the command for a request with at least one file; `key` is the value of `{uuid}`. Throws if curl cannot send
  /// the same request.
  package init(
    _ items: [UploadItem], with companions: [ItemID: [Companion]] = [:], to target: Target,
    now: Date, key: UUID? = nil
  ) throws(InvalidInput) {
    guard target.ticket == nil else {
      throw InvalidInput(
        "the target asks for a ticket first, and only the ticket says where the file goes")
    }
    guard !target.run.isOn else {
      throw InvalidInput(
        "the target has requests before the first file and after the last one (open, close), which a command for one "
          + "request cannot have")
    }
    guard !target.resume.createsFirst else {
      throw InvalidInput(
        "a resumable upload takes several requests, and only the server says where they go")
    }
    guard let first = items.first else { throw InvalidInput("there is no file") }
    let key = key ?? first.uuid
    if let rules = target.resume.pieces, rules.holds(for: first.size) {
      let script = try PieceScript(first, rules, to: target, key: key, now: now)
      (lines, text, variables) = (script.lines, script.text, script.variables)
      return
    }
    let plan: RequestPlan
    do throws(Failure.Cause) {
      plan = try RequestPlan(
        items, with: companions, to: target, at: .target,
        credentials: .all(token: target.tokenPlaceholder),
        target.values(of: first, now: now, uuid: key))
    } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    var options = CurlOptions()
    options.add("curl --globoff --request \(ShellWord.quoted(plan.head.method))")
    try options.add("", options.pieces(plan.head.address ?? []))
    try options.addTLS(of: target)
    for header in plan.head.headers { try options.add(header) }
    try options.addCredentials(
      of: target, plan.head, sum: first.digests?[.sha256].map { .text($0) })
    switch plan.content {
    case .file(let item):
      try options.add("--data-binary", [.text("@"), CurlOptions.path(item.location)])
    case .form(let parts): for part in parts { try options.add(part) }
    }
    (lines, variables) = (options.lines, options.variables)
    text = lines.joined(separator: " \\\n  ")
  }
}
