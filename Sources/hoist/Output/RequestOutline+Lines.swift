import UploadEngine
import UploadModel

extension RequestOutline {
  /// The request to `target` as lines for people, which are not made safe for a terminal.
  func lines(_ target: Target) -> [String] {
    var lines: [String] = []
    if let existence {
      lines += existence.lines(
        "first, to see whether the file is there already: \(existence.method) \(existence.url ?? "")"
      )
    }
    if let ticket, let asked = target.ticket {
      lines += ticket.lines("first \(ticket.method) \(ticket.url ?? "")")
      lines += head.lines("\(head.method) to the ticket's \(asked.uploadURL.words)")
      if !target.headers.isEmpty || target.tokenCommand != nil || target.sigV4 != nil {
        lines.append(
          "  and the target's own header fields, if that address is on "
            + ([target.ownOrigin] + asked.namedHosts.map(\.description).sorted())
            .joined(separator: " or "))
      }
      if let fields = asked.fields { lines.append("  the ticket's fields at \(fields)") }
    } else if let pieces {
      let once = pieces.parallel > 1 ? ", \(pieces.parallel) at once" : ""
      lines.append(
        "in \(HumanReadable.count(pieces.count, "piece")) of at most \(HumanReadable.bytes(pieces.size))\(once)"
      )
      for (word, request) in [("first", pieces.begin), ("before each piece", pieces.ticket)] {
        guard let request else { continue }
        lines += request.lines("\(word) \(request.method) \(request.url ?? "")")
      }
      lines += head.lines("piece 1 of \(pieces.count): \(head.method) \(head.url ?? "")")
    } else {
      lines += head.lines("\(head.method) \(head.url ?? "")")
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
    if let finish = pieces?.finish {
      lines += finish.lines("at the end \(finish.method) \(finish.url ?? "")")
    }
    if let wait, let rule = target.wait {
      lines += wait.lines(
        "then every \(HumanReadable.seconds(rule.interval)), until the server has finished: \(wait.method) \(wait.url ?? "")"
      )
    }
    switch target.after.way {
    case .delete?:
      lines.append("then the local file is deleted, if the server proves that it has the content")
    case .move(let folder)?:
      lines.append(
        "then the local file is moved to \(folder), if the server proves that it has the content")
    case nil: break
    }
    return lines
  }
}

extension RequestOutline.Run {
  /// The request before the first file, as lines for people.
  var firstLines: [String] { open.map { Self.lines("once, before the first file", $0) } ?? [] }
  var lastLines: [String] { close.map { Self.lines("once, after the last file", $0) } ?? [] }

  private static func lines(_ words: String, _ request: RequestOutline.Head) -> [String] {
    request.lines("\(words): \(request.method) \(request.url ?? "")")
  }
}

extension RequestOutline.Head {
  fileprivate func lines(_ title: String) -> [String] {
    [title] + headers.map { "  \($0.name): \($0.value)" } + (body.map { ["  body \($0)"] } ?? [])
  }
}

extension Target {
  fileprivate var ownOrigin: String { Origin(url)?.description ?? "its own server" }
}
