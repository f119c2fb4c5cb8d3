import UploadEngine
import UploadModel

extension RequestOutline {
  /// The request to `target` as lines for people, which are not made safe for a terminal.
  package func lines(_ target: Target) -> [String] {
    var lines = existence?.lines("first, to see whether the file is there already: ") ?? []
    lines += folders.compactMap { $0.lines("if the server lacks this folder: ").first }
    if let ticket, let asked = target.ticket {
      lines += ticket.lines("first ")
      lines += head.lines(place: "to the ticket's \(asked.uploadURL.words)")
      if !target.headers.isEmpty || target.tokenCommand != nil || target.sigV4 != nil {
        let own = Origin(target.url)?.description ?? "its own server"
        let hosts = [own] + asked.namedHosts.map(\.description).sorted()
        lines.append(
          "  and the target's own header fields, if that address is on "
            + hosts.joined(separator: " or "))
      }
      if let fields = asked.fields { lines.append("  the ticket's fields at \(fields)") }
    } else if let pieces {
      let once = pieces.parallel > 1 ? ", up to \(pieces.parallel) at once" : ""
      lines.append(
        "in \(HumanReadable.count(pieces.count, "piece")) of at most \(HumanReadable.bytes(pieces.size))\(once)"
      )
      lines += pieces.begin?.lines("first ") ?? []
      lines += pieces.ticket?.lines("before each piece ") ?? []
      lines += head.lines("piece 1 of \(pieces.count): ")
    } else {
      lines += head.lines()
    }
    for part in parts {
      let words = [
        part.fileName.map { "file \"\($0)\"" } ?? "text", part.type,
        HumanReadable.count(Int(part.bytes), "byte"),
      ]
      lines.append("  part \(part.name): \(words.compactMap { $0 }.joined(separator: ", "))")
    }
    if target.resume.createsFirst {
      lines.append("  then the file, in requests to the address that the server gives")
    }
    lines.append(
      "  in \(pieces == nil ? "all" : "this piece") \(HumanReadable.count(Int(length), "byte"))")
    lines += pieces?.finish?.lines("at the end ") ?? []
    if let rule = target.ifThere, rule.keepsOthers {
      lines += nameCheck?.lines("first, whether the name is taken: ") ?? []
      lines.append("if the name is taken, the file \(rule.words)")
    }
    lines += removal?.lines("before another attempt, if one breaks off: ") ?? []
    if let wait, let rule = target.wait {
      lines += wait.lines(
        "then every \(HumanReadable.seconds(rule.interval)), until the server has finished: ")
    }
    let fate: String? =
      switch target.after.way {
      case .delete: "deleted"
      case .move(let folder): "moved to \(folder)"
      case nil: nil
      }
    if let fate {
      lines.append("then the local file is \(fate), if the server proves that it has the content")
    }
    return lines
  }
}

extension RequestOutline.Run {
  /// The request before the first file, as lines for people.
  package var firstLines: [String] { open?.lines("once, before the first file: ") ?? [] }
  package var lastLines: [String] { close?.lines("once, after the last file: ") ?? [] }
}

extension RequestOutline.Head {
  /// The request as lines that begin with `words` about when it is sent. A `place` stands in for its URL.
  fileprivate func lines(_ words: String = "", place: String? = nil) -> [String] {
    ["\(words)\(method) \(place ?? url ?? "")"]
      + headers.map { "  \($0.name): \($0.value)" } + (body.map { ["  body \($0)"] } ?? [])
  }
}
