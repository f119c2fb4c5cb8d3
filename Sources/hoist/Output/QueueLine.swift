import Foundation
import UploadModel

/// An item as scripts see it.
struct QueueLine: Encodable {
  var number: Int64
  var path: String
  var name: String
  var target: String
  var field: String?
  var type: String
  var bytes: Int64
  /// How many of them the server has acknowledged, while that is known.
  var sent: Int64?
  var state: String
  var cause: String?
  var message: String?
  var status: Int?
  var url: String?

  init(_ item: UploadItem) {
    number = item.id.rawValue
    path = item.location.description
    name = item.fileName
    target = item.target
    field = item.field
    type = item.mediaType
    bytes = item.size
    state = item.state.word
    switch item.state {
    case .failed(let failure):
      (cause, message, status) = (failure.code, failure.explanation, failure.status)
    case .done(let receipt): (status, url) = (receipt.status, receipt.url)
    case .sending(_, let sent, _): self.sent = sent
    case .waiting, .preparing, .awaitingReply, .retrying, .paused: break
    }
  }

  func text() throws -> String { try JSONLine.text(self) }
}
