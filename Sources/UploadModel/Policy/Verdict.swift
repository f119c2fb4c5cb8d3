import Foundation

/// What the end of a request means for the file.
package enum Verdict: Hashable, Sendable {
  /// The server took the file.
  indirect case delivered(Receipt)
  /// The file did not arrive, or nobody can tell whether it did.
  indirect case failed(Failure)
  /// The server wants the file at another address, or in another way at the same address; `keepsCredentials` is false
  /// on another origin.
  case follow(URL, keepsCredentials: Bool)

  /// The most redirects that one attempt follows.
  package static let mostRedirects = 5

  /// Judges the end of a request. `attempt` counts from 1, and `redirects` is the number of redirects that this attempt
  /// has followed already. `now` is the wall clock, for a `Retry-After` that names a date.
  package static func judge(
    _ end: TransferEnd, target: Target, attempt: Int, redirects: Int, now: Date
  ) -> Verdict {
    let response = end.rules ?? target.response

    func failed(_ cause: Failure.Cause) -> Verdict {
      var failure = Failure(
        cause, status: end.status ?? end.earlierStatus, reply: end.reply, attempts: attempt,
        retryAfter: target.retry.wait(askedBy: end, now: now))
      (failure.step, failure.pieces) = (end.step, end.pieces)
      if end.sent?.size == 0, failure.mayConcernOneFile || end.status == 411 {
        failure.isOfEmptyFile = true
      }
      if cause.isSaidByReply, target.retry.isTemporary(end, now: now) {
        failure.isTemporary = true
      } else if cause == .refused, leavesDoubt(end, target) {
        failure.arrival = .unclear
      }
      return .failed(failure)
    }

    func delivered(
      _ status: Int, isDuplicate: Bool = false, verified: ContentDigests.Algorithm? = nil,
      doubt: String? = nil
    ) -> Verdict {
      var receipt = Receipt(
        status: status, url: response.address(in: end),
        deletionURL: response.deletionAddress(in: end), reply: end.reply,
        attempts: attempt, seconds: end.seconds, bytes: end.bytes, sent: end.sent)
      receipt.wasThere = isDuplicate
      receipt.fate = end.fate
      receipt.verified = verified?.name
      (receipt.doubt, receipt.growth) = (doubt, end.growth)
      receipt.pieces = end.pieces?.whole
      return .delivered(receipt)
    }

    if end.isThereAlready, let status = end.status { return delivered(status, isDuplicate: true) }

    // A fault of the file takes precedence over the server's reply to the part that it got. A cancellation does not
    // take precedence over the reply to the whole file.
    if let trouble = end.trouble, trouble.isLocal,
      !(trouble == .cancelled && end.sentAll && end.status != nil)
    {
      return failed(trouble)
    }
    if let trouble = end.trouble, trouble.isOfCredentials { return failed(trouble) }
    if let status = end.status {
      // The target's rules would have applied to the lost reply, which may have said that the file was not stored.
      if end.isReplyLost {
        guard !response.failures.isEmpty || target.wait != nil else { return delivered(status) }
        let why = "the server has the whole file, but its reply was lost"
        return .failed(Failure(.outcomeUnknown(why), attempts: attempt))
      }
      if end.hasNonceExpired { return failed(.nonceExpired) }
      switch status {
      case _ where response.isOK(status) || response.isCarriedOut(end):
        // A server that answers before the end of the body cannot have stored all of it.
        guard end.sentAll else {
          let early = "the server answered \(status) before it had the whole file"
          return failed(end.trouble ?? .connectionLost(early))
        }
        if let words = target.retry.complaint(in: end) { return failed(.rejected(words)) }
        let content = end.content ?? response.read(end.reply)
        // The missing part of a reply may have said that the upload failed.
        if let trouble = end.trouble, response.cannotJudge(end, content) {
          return failed(.outcomeUnknown("its answer broke off: \(Failure(trouble).headline)"))
        }
        if end.reply.isCut, response.cannotJudge(end, content) {
          return failed(.outcomeUnknown("its answer is too long to read"))
        }
        if let complaint = response.complaint(in: content, of: end) { return failed(complaint) }
        let isDuplicate = response.isDuplicate(content, of: end)
        switch response.finding(in: content, of: end) {
        case nil:
          // A redirect comes with a page of its own.
          let isPage = status == 303
          return delivered(
            status, isDuplicate: isDuplicate,
            doubt: isDuplicate
              ? nil
              : response.doubt(
                content, of: end, expectsJSON: (target.asksForJSON || end.asksForJSON) && !isPage,
                readsBreak: !isPage))
        case .same(let algorithm):
          return delivered(status, isDuplicate: isDuplicate, verified: algorithm)
        case .other(let algorithm, let theirs, let ours):
          let place =
            response.sum.map { " (\(ReplyValue($0.place).words), by response.verify)" } ?? ""
          return failed(
            .differs(
              "its \(algorithm.name)\(place) is \(SafeText.line(theirs)), and the file's is \(ours)"
            ))
        }
      case 412 where end.isConditional: return failed(.taken(TakenName(end.sent?.name ?? "")))
      case _ where response.isRefusedDuplicate(end):
        // The name is what such a refusal is about.
        guard let rule = target.ifThere, rule.keepsOthers, rule != .skip else {
          return delivered(status, isDuplicate: true)
        }
        return failed(.taken(TakenName(end.sent?.name ?? "")))
      case 307, 308: return redirect(end, target: target, redirects: redirects, failed: failed)
      case 417 where end.expectedContinue && !end.sentAll && redirects < mostRedirects:
        // The server rejects only `Expect`, which is not sent again. After the whole body, a 417 has another meaning.
        return .follow(end.url, keepsCredentials: Origin(end.url) == target.origin)
      case 301 where end.bucketPlace != nil:
        return failed(.redirected(to: end.bucketPlace, .otherRegion))
      // A second copy may do harm, if this is where the first one is.
      case _ where end.leadsToResult && !target.isIdempotent(at: end.url):
        return failed(.outcomeUnknown(end.lead))
      case 301, 302, 303:
        // The advice is to put the address into the target, which must not send unencrypted from then on.
        if let place = end.location, Origin(place).map(target.isDowngrade) == true {
          return failed(.unencrypted(at: place))
        }
        return failed(.redirected(to: shown(end.headers["location"]), .losesBody))
      // The gateway may have passed everything on, and the server behind it may have stored the file.
      case _
      where end.meaning == .serverLost && leavesDoubt(end, target)
        && !target.retry.isTemporary(end, now: now):
        let why = "a gateway answered in its place, after the whole file had been sent"
        return failed(.outcomeUnknown(why))
      default: return failed(.refused)
      }
    }
    let trouble = end.trouble ?? .connectionLost("the connection closed without a reply")
    switch trouble {
    // If the connection broke after the last byte, the server may have the whole file.
    case .connectionLost(let why), .network(let why), .unreachable(let why, _),
      .proxyUnreachable(let why), .insecure(let why):
      return failed(end.sentAll ? .outcomeUnknown(why) : trouble)
    case .stalled(let seconds) where end.sentAll:
      return failed(.outcomeUnknown("no reply within \(HumanReadable.seconds(seconds))"))
    case .outOfTime(let seconds) where end.sentAll:
      return failed(
        .outcomeUnknown("no reply within the deadline of \(HumanReadable.seconds(seconds))"))
    default: return failed(trouble)
    }
  }

  /// Whether the server may have stored the file in spite of its refusal, and a second copy would do harm.
  private static func leavesDoubt(_ end: TransferEnd, _ target: Target) -> Bool {
    // A success that the rules do not list is no refusal either.
    let isUnlisted = end.status.map { 200..<300 ~= $0 } == true
    return end.sentAll && (isUnlisted || end.meaning?.leavesDoubt == true)
      && !target.isIdempotent(at: end.url)
  }

  /// Whether the end is a redirect to another origin that will be followed.
  package static func leadsElsewhere(
    _ end: TransferEnd, target: Target, redirects: Int
  ) -> Bool {
    guard end.trouble == nil, let status = end.status, status == 307 || status == 308,
      !(end.rules ?? target.response).isOK(status),
      case .follow(_, keepsCredentials: false) = redirect(
        end, target: target, redirects: redirects, failed: { .failed(Failure($0)) })
    else { return false }
    return true
  }

  /// Follows a 307 or 308 if the address that it names is allowed. Otherwise, the upload fails.
  package static func redirect(
    _ end: TransferEnd, target: Target, redirects: Int, failed: (Failure.Cause) -> Verdict
  ) -> Verdict {
    guard end.headers["location"]?.trimming(\.isWhiteSpace).isEmpty == false else {
      if let place = end.bucketPlace { return failed(.redirected(to: place, .otherRegion)) }
      return failed(.redirected(to: nil, .noLocation))
    }
    guard let url = end.location, let origin = Origin(url) else {
      return failed(.redirected(to: shown(end.headers["location"]), .badLocation))
    }
    // A password in a redirect must neither be sent nor shown.
    guard url.user == nil, url.password == nil else {
      return failed(.redirected(to: origin.description, .badLocation))
    }
    if target.isDowngrade(origin) { return failed(.unencrypted(at: url)) }
    let home = target.origin
    guard origin == home || target.redirectOrigins.contains(origin) else {
      return failed(.redirected(to: shown(url.absoluteString), .otherOrigin))
    }
    guard redirects < mostRedirects else {
      return failed(.redirected(to: shown(url.absoluteString), .tooMany))
    }
    return .follow(url, keepsCredentials: origin == home)
  }

  /// An address as it may be shown and logged: without a user and a password, and without its query and its fragment,
  /// which may be a signature or a token.
  package static func shown(_ address: String?) -> String? {
    guard let address else { return nil }
    let bytes = Array(address.utf8)
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    var shown = bytes[..<(end ?? bytes.endIndex)]
    if let scheme = shown.firstRange(of: Array("://".utf8)) {
      let host = shown[scheme.upperBound...].prefix { $0 != UInt8(ascii: "/") }
      if let at = host.lastIndex(of: UInt8(ascii: "@")) {
        shown.replaceSubrange(scheme.upperBound...at, with: "…@".utf8)
      }
    }
    let rest = end.map { "\(Unicode.Scalar(bytes[$0]))…" } ?? ""
    return String(decoding: shown, as: UTF8.self) + rest
  }
}

extension TransferEnd {
  /// What a redirect after the whole request leaves open.
  package var lead: String {
    Verdict.shown(location?.absoluteString).map { "it points to \($0), which may be the result" }
      ?? "it does not say where the result is"
  }
}
