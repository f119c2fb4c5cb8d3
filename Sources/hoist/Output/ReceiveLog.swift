import Foundation
import Receiver
import ScalarText
import Synchronization
import UploadModel

/// What `hoist receive` says: a line for each file that has arrived, and for what went wrong; the total at the end.
final class ReceiveLog: Sendable {
  /// Whether the line of a file also has its type, its sum, and who sent it.
  private let isVerbose: Bool
  private let hasColours: Bool
  private let total = Mutex((files: 0, bytes: Int64(0)))

  init(isVerbose: Bool, hasColours: Bool) {
    (self.isVerbose, self.hasColours) = (isVerbose, hasColours)
  }

  /// The line for an event: the time, and for a file its name and its size.
  func line(for event: ReceiverEvent, at date: Date) -> String {
    if case .stored(let file, _) = event {
      total.withLock { $0 = ($0.files + 1, $0.bytes &+ file.size) }
    }
    return "\(coloured(date.localClock, "2"))  \(words(for: event))"
  }

  /// How much has arrived: "12 files, 34 MB".
  var sum: String {
    let (files, bytes) = total.withLock(\.self)
    return files == 0
      ? "nothing was received"
      : "\(HumanReadable.count(files, "file")), \(HumanReadable.bytes(bytes)) received"
  }

  private func words(for event: ReceiverEvent) -> String {
    switch event {
    case .stored(let file, let client):
      let more =
        isVerbose ? "  \(SafeText.line(file.type))  sha256 \(file.sha256)  from \(client)" : ""
      let size = coloured(HumanReadable.bytes(file.size), "32")
      return "\(SafeText.line(file.stored))  \(size)\(more)"
    case .deleted(let name, let client): return "\(client) deleted \(SafeText.line(name))"
    case .refused(let status, let message, let request, let client):
      return bad(
        "\(client) was refused \(SafeText.line(request)): \(status) \(SafeText.line(message))"
          + Self.advice(status, request))
    case .failed(let error, let request, let client):
      return bad("\(client) got an error for \(SafeText.line(request)): \(SafeText.line(error))")
    case .disconnected(let request, let client):
      return bad("\(client) hung up during \(SafeText.line(request)); \(Self.rest(of: request))")
    case .brokenOff(let request, let client):
      return bad(
        "\(client) was cut off during \(SafeText.line(request)) because the receiver stopped; "
          + Self.rest(of: request))
    }
  }

  private func bad(_ text: String) -> String { coloured(text, "33") }

  /// A text in a colour or with an attribute (ECMA-48, SGR).
  private func coloured(_ text: String, _ number: String) -> String {
    hasColours ? "\u{1B}[\(number)m\(text)\u{1B}[m" : text
  }

  /// What the receiver's operator can do about a refusal. Clients are not told.
  private static func advice(_ status: Int, _ request: String) -> String {
    switch status {
    case 421: " (--name allows requests for a name)"
    case 403 where request.hasPrefix(scalars: "DELETE "): " (--allow-delete lets clients delete)"
    default: ""
    }
  }

  /// Whether the content of an interrupted request was kept, in words. PATCH carries a piece of an upload; whether a
  /// POST began one that can resume, its first line does not say.
  private static func rest(of request: String) -> String {
    request.hasPrefix(scalars: "PATCH ")
      ? "what had arrived is kept" : "what had arrived is kept only if the upload can resume"
  }
}
