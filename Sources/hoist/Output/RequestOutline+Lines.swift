import Foundation
import UploadEngine
import UploadModel

extension RequestOutline {
  /// The request to `target` in lines for people. Not made safe for a terminal.
  func lines(_ target: Target) -> [String] {
    var lines: [String] = []
    if let ticket = target.ticket {
      let values = Template.Values(now: Date(), uuid: UUID())
      lines.append("first \(ticket.call.method) \(ticket.call.url.shown(with: values))")
      lines.append("\(method) to the ticket's \(ticket.uploadURL)")
    } else {
      lines.append("\(method) \(url)")
    }
    for header in headers { lines.append("  \(header.name): \(header.value)") }
    if let fields = target.ticket?.fields { lines.append("  the ticket's fields at \(fields)") }
    for part in parts {
      let words = [
        part.fileName.map { "file \"\($0)\"" } ?? "text", part.type,
        HumanReadable.count(Int(part.bytes), "byte"),
      ]
      lines.append("  part \(part.name): \(words.compactMap { $0 }.joined(separator: ", "))")
    }
    lines.append("  in all \(HumanReadable.count(Int(length), "byte"))")
    return lines
  }
}
