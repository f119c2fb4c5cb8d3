import Foundation
import JSONText
import ScalarText

/// What replies say about another attempt.
extension RetryPolicy {
  /// Whether a reply that refuses a request says that a later attempt may succeed, although its status alone does not
  /// say so. Such a reply is no statement about credentials.
  package func isTemporary(_ end: TransferEnd, now: Date) -> Bool {
    guard let status = end.status ?? end.earlierStatus else { return end.isTemporary }
    return end.isTemporary || end.hasNonceExpired || statuses.contains(status)
      || Self.limitStatuses.contains(status) && wait(askedBy: end, now: now) != nil
      || status == 403 && end.hasUsedUpLimit || complaint(in: end) != nil
  }

  /// What a reply says if it has one of the `signs`.
  package func complaint(in end: TransferEnd) -> String? {
    signs.lazy.compactMap { $0.words(in: end) }.first
  }

  /// Seconds that the server asks to wait before the next attempt; nil if it does not say.
  package func wait(askedBy end: TransferEnd, now: Date) -> Double? {
    let now = end.serverTime(now)
    if let text = waitPlace.flatMap({ end.text(at: $0) }),
      let seconds = RetryAfter.seconds(text, now: now)
    {
      return seconds
    }
    return end.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) }
      ?? end.untilLimitEnds(now) ?? end.waitInBody(now) ?? end.retryAfter
  }

  /// Statuses that are no final refusal if the reply asks to wait: GitHub's 403, 413 and 421 (RFC 9110 §15.5.14,
  /// §15.5.20).
  private static let limitStatuses: Set<Int> = [403, 413, 421]
}

extension TransferEnd {
  /// How the names of the header fields about a rate limit begin.
  private static let limitPrefixes = ["x-ratelimit-", "x-rate-limit-", "ratelimit-"]

  private func limitField(_ name: String) -> String? {
    Self.limitPrefixes.lazy.compactMap { headers[$0 + name] }.first
  }

  /// Whether the reply says that no more requests are allowed for now.
  fileprivate var hasUsedUpLimit: Bool {
    limitField("remaining").flatMap { Double($0.trimming(\.isWhiteSpace)) } == 0
  }

  /// Seconds until requests are allowed again, if the reply says that none are allowed now.
  fileprivate func untilLimitEnds(_ now: Date) -> Double? {
    guard hasUsedUpLimit, let status, !(200..<400).contains(status) else { return nil }
    if let text = limitField("reset-after") { return RetryAfter.seconds(text, now: now) }
    guard let number = limitField("reset").flatMap({ RetryAfter.seconds($0, now: now) }) else {
      return nil
    }
    // Some servers count from now, others name a time. No limit lasts for thirty years.
    guard number >= RetryAfter.longest else { return number }
    let time = limitField("reset").flatMap { Double($0.trimming(\.isWhiteSpace)) }
    return time.map {
      // Milliseconds are longer numbers.
      RetryAfter.bounded(($0 < 1e12 ? $0 : $0 / 1000) - now.timeIntervalSince1970)
    }
  }

  /// The members by which services say in seconds how long to wait (Discord, Telegram).
  private static let waits = [
    ["retry_after"], ["parameters", "retry_after"], ["error", "retry_after"],
  ]
  .map(JSONPointer.init(tokens:))

  /// Seconds that the reply's body asks to wait, if its status is one that may ask for that.
  fileprivate func waitInBody(_ now: Date) -> Double? {
    guard let status = status ?? earlierStatus, [403, 413, 429, 503].contains(status),
      reply.text.unicodeScalars.first(where: { !$0.isWhiteSpace }) == "{",
      let document = JSONValue(text: reply.text)
    else { return nil }
    return Self.waits.lazy.compactMap { $0.number(in: document) }.first
      .flatMap { RetryAfter.seconds($0, now: now) }
  }

  fileprivate func text(at place: ReplyPlace) -> String? {
    guard case .pointer(let pointer) = place else { return ReplyValue(place).text(in: self) }
    return JSONValue(text: reply.text).flatMap { pointer.number(in: $0, file: self.place.index) }
  }
}

extension JSONPointer {
  /// The number that it points to, or the text, which may be one.
  fileprivate func number(in document: JSONValue, file: Int = 0) -> String? {
    switch value(in: document, file: file) {
    case .number(let number): String(format: "%.3f", number)
    case .integer(let number): "\(number)"
    case .longInteger(let digits): digits
    case .string(let text): text
    case nil, .null, .bool, .array, .object: nil
    }
  }
}
