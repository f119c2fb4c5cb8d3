import JSONText
import ProcessContext
import UploadModel

/// An item as scripts see it.
enum QueueLine {
  /// `isSent`: whether there is a process that sends the queue.
  static func text(of item: UploadItem, isSent: Bool = true) -> String {
    var members: [String: JSONValue?] = [
      "number": .integer(item.id.rawValue), "path": JSONLine.path(item.location),
      "name": .string(item.fileName), "target": .string(item.target),
      "field": JSONValue(item.field), "type": .string(item.mediaType),
      "bytes": item.hasSize ? .integer(item.size) : nil,
      "state": .string(item.state.word(isSent: isSent)),
    ]
    switch item.state {
    case .failed(let failure):
      members["cause"] = .string(failure.code)
      members["message"] = JSONValue(item.explanation)
      members["status"] = JSONValue(failure.status)
    case .done(let receipt):
      members["status"] = JSONValue(receipt.status)
      members["url"] = JSONValue(receipt.url)
      members["verified"] = JSONValue(receipt.verified)
      members["doubtful"] = JSONValue(receipt.doubtfulBecause)
    // How many bytes the server has acknowledged.
    case .sending(_, let sent, _): members["sent"] = .integer(sent)
    case .processing(let processing): members["status"] = JSONValue(processing.receipt.status)
    case .waiting, .preparing, .awaitingReply, .retrying, .paused: break
    }
    return JSONLine.text(members)
  }
}
