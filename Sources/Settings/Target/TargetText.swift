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
    let ticket = target.ticket.map {
      Schema<Ticket>.ticket.entries($0, usually: .start, nested)
    }
    let tables: [(name: String, entries: TOMLText.Entries)] = [
      (
        "pieces",
        target.resume.pieces.map { Schema.pieces.entries($0, usually: PieceRules(), nested) } ?? []
      ),
      ("response", Schema.response.entries(target.response, usually: usual.response, nested)),
      (
        "exists",
        target.exists.map { Schema.exists.entries($0, usually: .start, nested) } ?? []
      ),
      (
        "wait", target.wait.map { Schema.wait.entries($0, usually: WaitRule(), nested) } ?? []
      ),
      (
        "open",
        target.run.open.map {
          Schema<PieceCall>.open.entries($0, usually: PieceCall(method: "POST"), nested)
        } ?? []
      ),
      (
        "close",
        target.run.close.map {
          Schema<RunRules.Closing>.close.entries($0, usually: RunRules.Closing(), nested)
        } ?? []
      ),
      ("ticket", ticket ?? []),
      ("server", Schema.server(of: target).entries(target.server, usually: usual.server, nested)),
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
}
