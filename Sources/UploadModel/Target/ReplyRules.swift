import Foundation
import JSONText
import ScalarText

/// How a target's replies are read: which of them mean success, what went wrong, and where the file is.
package struct ReplyRules: Hashable, Sendable {
  /// The statuses that mean success.
  package var ok = [200...299]
  /// The rules by which a reply with a success status means a failure.
  package var failures: [FailureRule] = []
  /// The signs by which a reply says that the server had the file already and stored no second copy. Those without a
  /// status are looked for in replies with a success status, the others in replies with their own.
  package var duplicates: [ReplySign] = []
  /// What a reply that is not JSON means if `failures` ask for JSON values. By default (nil), such a reply means
  /// success if the rules only name values that mean failure. If a rule names the value that means success, the outcome
  /// is unknown. A text without what a good reply has (`FailureRule.needsMatch`) means failure, unless this says that
  /// the outcome is unknown.
  package var unreadable: Unreadable?
  /// Where the reply names the file's address; nil for the header field `Location`.
  package var url: ReplyValue?
  /// Where the reply names an address that deletes the file when that address is opened; nil if it names none.
  package var deletionURL: ReplyValue?
  /// Where the reply gives a checksum of what was stored; nil if it gives none.
  package var sum: ReplySum?

  package init() {}

  /// What a reply that cannot be read means.
  package enum Unreadable: String, Hashable, Sendable, CaseIterable {
    /// Success: only its status counts.
    case ok
    /// Failure.
    case fail
    /// Neither: it is unknown whether the file was stored.
    case unknown
  }

  /// Whether the status means success.
  package func isOK(_ status: Int) -> Bool { ok.contains { $0.contains(status) } }

  /// Whether a reply whose status is not one of `ok` says that the request was carried out, and where the result is
  /// (RFC 9110 §15.4.4). If somebody has chosen the statuses, no others count.
  package func isCarriedOut(_ end: TransferEnd) -> Bool {
    end.status == 303 && end.leadsToResult && end.location != nil && ok == ReplyRules().ok
  }

  /// Whether the rules say what a good reply looks like, not only what a bad one does.
  package var namesGoodReply: Bool {
    // Proxies and login pages answer 200.
    !isOK(200) || sum != nil || failures.contains { !$0.isSilentWithoutValue || $0.needsMatch }
  }

  private var places: [ReplyPlace] {
    (failures + duplicates.compactMap(\.rule)).map(\.place) + (url?.places ?? [])
      + (deletionURL?.places ?? [])
      + [sum?.place].compactMap(\.self)
  }

  /// Whether the rules read the content of replies at all.
  package var needsContent: Bool { places.contains(where: \.needsContent) }

  /// Reads what the rules look for in a reply, and what may be a sign of doubt. The time that this takes grows with the
  /// length of the reply.
  package func read(_ reply: Reply) -> ReplyContent {
    let places = places
    var content = ReplyContent()
    if places.contains(where: \.needsJSON) || Doubt.mayBeNamed(in: reply) {
      content.document = JSONValue(text: reply.text)
    }
    for pattern in Set(places.compactMap(\.pattern)) {
      do {
        content.matches[pattern] = try pattern.firstMatch(in: reply.text)
      } catch {
        content.undecided.insert(pattern)
      }
    }
    return content
  }

  private var needsDocument: Bool { failures.contains(where: \.place.needsJSON) }

  /// Whether success depends on a part of the content that is missing.
  func cannotJudge(_ end: TransferEnd, _ content: ReplyContent) -> Bool {
    // The match of a pattern may be in the missing part.
    if failures.contains(where: { $0.place.pattern.map { content.matches[$0] == nil } == true }) {
      return true
    }
    return needsDocument && content.document == nil
      && end.reply.text.unicodeScalars.first { !$0.isWhiteSpace } != "<"
  }

  /// A copy without the rules that concern only one of several files, so that it judges the request as a whole.
  package var ofWholeRequest: ReplyRules {
    var rules = self
    rules.failures.removeAll(where: \.dependsOnFile)
    // That the server had something already is about each file.
    rules.duplicates = []
    return rules
  }

  /// Why a file does not count as stored despite a reply with a success status; nil if it counts as stored.
  package func complaint(in content: ReplyContent, of end: TransferEnd) -> Failure.Cause? {
    let isJSON = content.document != nil
    let undecided = failures.compactMap(\.place.pattern).first(where: content.undecided.contains)
    let rules = failures.filter { rule in
      (isJSON || !rule.place.needsJSON)
        && rule.place.pattern.map(content.undecided.contains) != true
    }
    var missing: String?
    for rule in rules {
      guard let words = rule.complaint(in: content, of: end) else { continue }
      guard unreadable == .unknown, rule.needsMatch else { return .rejected(words) }
      missing = missing ?? words
    }
    if let missing { return .outcomeUnknown(missing) }
    if let undecided {
      return .outcomeUnknown("searching its answer for \(undecided.source) takes too long")
    }
    guard needsDocument, !isJSON else { return nil }
    let why = "its answer is not JSON"
    let isSilent = failures.allSatisfy { !$0.place.needsJSON || $0.isSilentWithoutValue }
    switch unreadable ?? (isSilent ? .ok : .unknown) {
    case .ok: return nil
    case .fail: return .unusable(why)
    case .unknown: return .outcomeUnknown(why)
    }
  }

  /// What a reply says about the stored content; nil if the reply has no checksum to compare.
  ///
  /// Even if the target expects no checksum, a `Repr-Digest` that matches the file shows that the file was stored. A
  /// `Repr-Digest` that does not match may describe the reply's own content (RFC 9530 §3).
  func finding(in content: ReplyContent, of end: TransferEnd) -> ReplySum.Finding? {
    if let sum { return sum.finding(in: content, of: end) }
    let finding = ReplySum(.header("repr-digest")).finding(in: content, of: end)
    if case .same = finding { return finding } else { return nil }
  }

  /// Whether a reply has a checksum, and it is one of these digests.
  package func verifies(_ end: TransferEnd, with digests: ContentDigests?) -> Bool {
    var end = end
    end.digests = digests
    if case .same? = finding(in: read(end.reply), of: end) { return true }
    return false
  }

  /// Whether a reply has a checksum, and it differs from these digests.
  package func refutes(_ end: TransferEnd, with digests: ContentDigests?) -> Bool {
    var end = end
    end.digests = digests
    if case .other? = finding(in: read(end.reply), of: end) { return true }
    return false
  }

  /// What the reply says if it seems to say no, or how it broke off if it `readsBreak`, and no rule judges it. A rule
  /// judges a reply that has what the rule looks for.
  func doubt(
    _ content: ReplyContent, of end: TransferEnd, expectsJSON: Bool, readsBreak: Bool
  ) -> String? {
    guard !failures.contains(where: { $0.judges(content, of: end) }) else { return nil }
    // What is missing may have said no.
    if readsBreak, let words = end.breakOfReply { return words }
    guard content.document != nil || unreadable == nil else { return nil }
    return Doubt(
      in: end.reply, content.document, of: end.place,
      expectsJSON: expectsJSON || places.contains(where: \.needsJSON))?.words
  }

  /// Whether the server had the file already, according to its reply.
  func isDuplicate(_ content: ReplyContent, of end: TransferEnd) -> Bool {
    // If there are several files, a sign that is the same for all of them says nothing about any one of them.
    duplicates.contains {
      (end.place.count == 1 || $0.dependsOnFile) && $0.isFound(in: content, of: end)
    }
  }

  /// Whether the server refused the file because it had it already: its status is not one that means success.
  package func isRefusedDuplicate(_ end: TransferEnd) -> Bool {
    guard let status = end.status, !isOK(status),
      duplicates.contains(where: { $0.status == status })
    else { return false }
    let named = duplicates.filter { $0.status == status }
    let content = end.content ?? read(end.reply)
    return named.contains {
      (end.place.count == 1 || $0.dependsOnFile) && $0.isFound(in: content, of: end)
    }
  }

  /// The file's address as an absolute URL; nil if the reply does not name it. If the request had several files, an
  /// address that is not specific to a file does not count.
  package func address(in end: TransferEnd) -> String? {
    guard end.place.count == 1 || url?.dependsOnFile == true else { return nil }
    guard let url else { return end.address ?? plainAddress(in: end) }
    return whole(url.text(in: end, end.content ?? read(end.reply)), end)
      ?? (end.status == 303 ? end.address : nil)
  }

  /// The address that deletes the file, as an absolute URL; nil if the reply names none for this file.
  func deletionAddress(in end: TransferEnd) -> String? {
    guard let deletionURL, end.place.count == 1 || deletionURL.dependsOnFile else { return nil }
    return whole(deletionURL.text(in: end, end.content ?? read(end.reply)), end)
  }

  private func whole(_ text: String?, _ end: TransferEnd) -> String? {
    guard let text, !text.isEmpty,
      let whole = URL(written: text, relativeTo: end.url)?.absoluteURL, whole.scheme != nil
    else { return nil }
    return whole.absoluteString
  }
}

/// The parts of a reply that a target's rules look for, read once for all rules and all files of a request.
package struct ReplyContent: Hashable, Sendable {
  /// The reply as JSON; nil if it is not JSON, or no rule needs it.
  var document: JSONValue?
  /// The first match of each pattern, and what its groups capture.
  var matches: [Pattern: [String?]] = Dictionary()
  /// The patterns whose search took too long.
  var undecided: Set<Pattern> = []
}
