import Foundation
import UploadModel

/// Writes a target as a table of the configuration. Reading the table gives the same target again.
package enum TargetText {
  /// The text of `[targets.NAME]` and its subtables. `TemplateWriter` says what the flags mean.
  package static func of(
    _ target: Target, named name: String, isRevealing: Bool = false, showsDefaults: Bool = false
  ) -> String {
    let writer = TemplateWriter(isRevealing: isRevealing, showsDefaults: showsDefaults)
    let nested = writer.withoutDefaults
    let usual = Target(name: name, url: target.url)
    func entries<Part>(
      _ schema: Schema<Part>, _ part: Part?, usually usual: Part
    ) -> TOMLText.Entries {
      part.map { schema.entries($0, usually: usual, nested) } ?? []
    }
    let tables: [(name: String, entries: TOMLText.Entries)] = [
      ("pieces", entries(.pieces, target.resume.pieces, usually: PieceRules())),
      ("response", entries(.response, target.response, usually: usual.response)),
      ("exists", entries(.exists, target.exists, usually: .start)),
      ("wait", entries(.wait, target.wait, usually: WaitRule())),
      (
        "before_retry",
        entries(
          .call(scope: Template.Placeholder.ofFile + [.id]), target.beforeRetry, usually: .removal)
      ),
      ("open", entries(.open, target.run.open, usually: Call(method: "POST"))),
      ("close", entries(.close, target.run.close, usually: RunRules.Closing())),
      ("ticket", entries(.ticket, target.ticket, usually: .start)),
      ("server", entries(.server(of: target), target.server, usually: usual.server)),
    ]
    let path = "targets.\(TOMLText.key(name))"
    let whole = [(path, Schema<Target>.target.entries(target, usually: usual, writer))]
    let parts = tables.map { ("\(path).\($0.name)", $0.entries) }
      .filter { $0.1.contains { $0.value != nil } }
    return (whole + parts).map { header, entries in
      "[\(header)]\n" + TOMLText.lines(entries).map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
  }

  /// A string as written in the configuration.
  package static func string(_ text: String) -> String { TOMLText.string(text) }

  /// The value of `fail_when` with these rules.
  package static func of(_ rules: [FailureRule]) -> String {
    let writer = TemplateWriter(isRevealing: true, showsDefaults: false)
    return Codec<[FailureRule]>.list(.failure).write(rules, writer) ?? "[]"
  }
}
