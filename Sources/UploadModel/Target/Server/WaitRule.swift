import Foundation
import JSONText

/// How a server that has accepted a file is asked whether it has finished processing it.
package struct WaitRule: Hashable, Sendable {
  /// The request, a GET. Its address is filled in with values of the upload's reply, unless `place` says where that
  /// reply names the address.
  package var call: Call
  /// Where the upload's reply names the address; nil if `call` has it.
  package var place: ReplyValue?
  /// The statuses of the upload's reply after which the server is asked; empty for all that mean success.
  package var statuses: Set<Int> = []
  /// Seconds between two such requests.
  package var interval = 2.0
  /// How long the server is asked, in seconds from its reply to the upload.
  package var limit = 600.0
  /// What the server's reply says once the server has finished; empty if the status is enough.
  package var signs: [FailureRule] = []

  package init() {
    call = Call(method: "GET")
    // These leave out 202 (Accepted) and Mastodon's 206 (Partial Content), which mean that the server has not finished
    // yet.
    call.rules.ok = [200...201, 203...205, 207...299]
  }

  var templates: [Template] {
    call.templates + (signs + call.rules.duplicates.compactMap(\.rule)).compactMap(\.template)
      + (place.map { [$0.prefix, $0.suffix] } ?? [])
  }

  /// Whether the rule applies to a file that the server has accepted with this receipt.
  func holds(for receipt: Receipt) -> Bool {
    !receipt.wasThere && (statuses.isEmpty || statuses.contains(receipt.status))
  }

  /// Where to ask about a file after the request that carried it; `now` is the time of the reply to that request.
  func address(
    after end: TransferEnd, of target: Target, now: Date
  ) throws(InvalidInput) -> URL {
    let text: String
    if let place {
      guard let found = place.text(in: end), !found.isEmpty else {
        throw InvalidInput(
          "its answer has no \(place.words), which should be the address to ask at")
      }
      text = found
    } else {
      var values = Template.Values(now: now, uuid: UUID())
      values.reply = JSONValue(text: end.reply.text)
      values.index = end.place.index + 1
      if let obstacle = call.templates.lazy.compactMap({ $0.obstacle(with: values) }).first {
        throw InvalidInput("\(obstacle), which the request about the file needs")
      }
      text = call.address.template.filled(with: values)
    }
    // Only the target's own server gets the credentials and is believed.
    guard let url = URL(written: text, relativeTo: end.url)?.absoluteURL,
      url.user == nil, url.password == nil, Origin(url) == target.origin
    else { throw InvalidInput("its answer has no status address on the same server") }
    return url
  }

  /// What a server says about a file that it has accepted.
  package enum Answer: Hashable, Sendable {
    /// It has finished. `url` is the file's address, if the reply names one. `isDuplicate` says whether it had the file
    /// already and has stored no second copy.
    case finished(url: String?, isDuplicate: Bool = false)
    /// It could not use the file.
    case failed(Failure)
    /// It has not said that it has finished. `trouble` is what it answered instead, or why it could not be asked; nil
    /// if it is at work.
    case open(trouble: String?, retryAfter: Double? = nil)
  }

  /// What the reply to a request about a file says.
  package func answer(in end: TransferEnd) -> Answer {
    if isDuplicate(end) { return finished(end, isDuplicate: true) }
    do throws(Failure.Cause) {
      // Nothing is taken for stored because of this reply, so a list without entries may well mean that nothing is left.
      guard try signs.fit(end, inShortLists: true) else { return .open(trouble: nil) }
    } catch {
      return .open(trouble: Failure(error).reason)
    }
    return finished(end, isDuplicate: false)
  }

  private func isDuplicate(_ end: TransferEnd) -> Bool {
    !call.rules.duplicates.isEmpty
      && call.rules.isDuplicate(call.rules.read(end.reply), of: end)
  }

  private func finished(_ end: TransferEnd, isDuplicate: Bool) -> Answer {
    .finished(
      url: call.rules.url == nil ? nil : call.rules.address(in: end), isDuplicate: isDuplicate)
  }

  /// What the failure of a request to `url` about a file says.
  package func answer(in failure: Failure, from url: URL) -> Answer {
    // A server may call the task a failure that finds that it has the file.
    if case .rejected = failure.cause {
      let end = TransferEnd(url: url, status: failure.status, reply: failure.reply)
      if isDuplicate(end) { return finished(end, isDuplicate: true) }
    }
    guard Self.isFinal(failure) else {
      // A status such as 202 or 206 means that the server is at work.
      let isAtWork = failure.status.map((200..<300).contains) == true
      return .open(
        trouble: isAtWork ? nil : failure.status.map { Failure.statusLine($0) } ?? failure.reason,
        retryAfter: failure.retryAfter)
    }
    var failure = failure
    failure.step = .wait
    return .failed(failure)
  }

  /// Whether the server has said that nothing will come of the file. A status that is about the request itself, such as
  /// 401 or 429, does not say that.
  private static func isFinal(_ failure: Failure) -> Bool {
    if failure.isTemporary == true { return false }
    return switch failure.cause {
    case .rejected: true
    case .refused:
      failure.status.map { status in
        (400..<500).contains(status) && ![401, 403, 404, 407, 408, 423, 425, 429].contains(status)
      } ?? false
    default: false
    }
  }
}
