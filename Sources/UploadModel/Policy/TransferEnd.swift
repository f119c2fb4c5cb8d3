import Foundation
import MultipartForm
import ScalarText

/// The result of a request, however it ended.
package struct TransferEnd: Hashable, Sendable {
  /// Where the request went.
  package var url: URL
  /// The status code, if a reply came.
  package var status: Int?
  /// The reply's header fields, names in lower case.
  package var headers: [String: String]
  /// The beginning of the reply's body.
  package var reply: Reply
  /// The content that the target's rules look for in the reply, if the reply has already been read. Otherwise it is
  /// read when the end is judged.
  package var content: ReplyContent?
  /// The rules to judge the reply by; nil for the target's own.
  package var rules: ReplyRules? {
    get { ownRules?.value }
    set { ownRules = newValue.map { Boxed($0) } }
  }
  // Boxed, since few requests have rules of their own.
  private var ownRules: Boxed<ReplyRules>?
  /// How many bytes of the reply's body arrived, without their coding; nil if not all of them were wanted.
  package var replyBytes: Int? = 0
  /// Whether the protocol marks the end of a reply, as HTTP/2 does.
  package var isReplyFramed = false
  /// Why the request ended early, if it did.
  package var trouble: Failure.Cause?
  /// Whether the request waited for a "100 Continue" before it sent its body (`Expect`,
  /// RFC 9110 §10.1.1).
  package var expectedContinue = false
  /// Whether the whole body was sent. Only a reply tells whether it arrived.
  package var sentAll: Bool
  /// Whether a connection was made for the request, rather than one used that others had been sent on.
  package var isFirstOnConnection = false
  /// How many of the file's bytes were handed over.
  package var bytes: Int64
  /// Seconds from the start of the attempt.
  package var seconds: Double
  /// Whether the server has more of a resumable upload than was recorded before this attempt.
  package var hasAdvanced = false
  /// Whether the server may have joined all pieces into the file, although this reply does not say so. Another attempt
  /// can find out without sending anything twice.
  package var mayBeWhole = false
  /// Whether the server has the whole file, but its reply about the outcome was lost. This reply only says how much has
  /// arrived.
  package var isReplyLost = false
  /// The file as the request described it to the server, if it carried one.
  package var sent: SentFile?
  /// Which of the request's files this end concerns.
  package var place = Place()
  /// The digests of the request's only file, if they are known.
  package var digests: ContentDigests?
  /// The moment whose content was sent or asked about, if it was recorded.
  package var moment: FileMoment?
  /// How many bytes the file has gained since it was opened to be sent; nil if none.
  package var growth: Int64?
  /// Whether what the occasion added to the request asks for a reply in JSON.
  package var asksForJSON = false
  /// The delay in seconds that the server asked for in an earlier reply.
  package var retryAfter: Double?
  /// Whether an earlier reply said that a later attempt may succeed (`Failure.isTemporary`).
  package var isTemporary = false
  /// The status of an earlier request, such as a ticket's, if its reply was the problem.
  package var earlierStatus: Int?
  /// Whether the server has the file already, so that no part of it was sent. This end is then that of the request that
  /// asked whether the server has it (`Failure.Step.existence`).
  package var isThereAlready = false
  /// Whether the reply is a 401 only because the nonce of the digest authentication had expired. Such a reply is no
  /// statement about the credentials, and the request was not carried out (RFC 7616 §3.3, RFC 9110 §15.5.2).
  package var hasNonceExpired = false
  /// Whether the request was to be carried out only if nothing is where the file goes (RFC 9110 §13.1.2).
  package var isConditional = false
  /// What became of a file whose name was taken.
  package var fate: NameFate? {
    get { ownFate?.value }
    set { ownFate = newValue.map { Boxed($0) } }
  }
  private var ownFate: Boxed<NameFate>?
  /// Whether the request asks something, so that a redirect to the answer is no answer.
  package var isQuestion = false
  /// Whether the server's own answer leaves no doubt that it has the file already.
  package var provesPresence = false
  /// Whether another address than the one that was asked gave the answer, after a redirect.
  package var isFromElsewhere = false
  /// Which of several concurrent requests has ended.
  package var number = 0
  /// Which of the upload's requests has ended; nil if it has only one.
  package var step: Failure.Step?
  /// How far the attempt has come, if the file goes in pieces.
  package var pieces: PieceCount?

  /// One of the files in a request.
  package struct Place: Hashable, Sendable {
    /// Its position, from 0.
    var index: Int
    /// How many files there are.
    var count: Int

    /// By default, the only file.
    package init(_ index: Int = 0, of count: Int = 1) { (self.index, self.count) = (index, count) }
  }

  /// What the reply's status means for the file; nil if no reply came.
  package var meaning: StatusMeaning? {
    guard let status else { return nil }
    // Envoy answers 503 when a server hangs up on a request that it was sent.
    let isLost =
      status == 503 && reply.text.contains(scalars: "disconnect/reset before headers")
      && !["connection failure", "overflow"].contains { reply.text.contains(scalars: $0) }
    return isLost ? .serverLost : StatusMeaning(status)
  }

  /// Whether the reply is a redirect to what became of the request. A 303 says that the request was carried out; a 302
  /// stands for the same in older servers (RFC 9110 §15.4.3, §15.4.4). Before it had everything, a server can mean
  /// neither.
  package var leadsToResult: Bool { (status == 302 || status == 303) && sentAll && !isQuestion }

  /// Whether the server may have kept a part of the file, or all of it, although the request has failed like this: it
  /// got something, and did not say what became of it.
  package func mayLeaveRemnant(_ failure: Failure) -> Bool {
    guard status == nil else { return failure.arrival == .unclear }
    // How many bytes arrived is not known after every break.
    switch trouble {
    case nil, .connectionLost, .stalled, .outOfTime, .network: return true
    default: return bytes > 0 || sentAll
    }
  }

  static let replyBrokeOff = "the reply broke off"

  /// How the reply broke off before its end, in words; nil if it did not. Where nothing says how long a reply is, the
  /// connection's end is its end (RFC 9112 §6.3).
  var breakOfReply: String? {
    guard let trouble, let replyBytes, status != 204 else { return nil }
    let isCoded = headers["content-encoding"] != nil
    switch trouble {
    case .connectionLost, .stalled, .outOfTime, .cancelled: break
    // Otherwise this may be a coding that cannot be read.
    case .network where !isCoded || isReplyFramed: break
    default: return nil
    }
    let words = Self.replyBrokeOff
    if let length = headers["content-length"].flatMap({ Int($0) }) {
      if isCoded { return words }
      let (sent, all) = (HumanReadable.grouped(replyBytes), HumanReadable.grouped(length))
      return replyBytes < length
        ? "\(words) after \(sent) of \(all) byte\(length == 1 ? "" : "s")" : nil
    }
    let isChunked = headers["transfer-encoding"]?.lowercased().contains(scalars: "chunked") == true
    return isReplyFramed || isChunked ? words : nil
  }

  /// Where the reply points to, as a whole URL (RFC 9110 §10.2.2).
  package var location: URL? { locationAsWritten?.absoluteURL }

  /// The same as a text, without making an absolute URL first.
  var address: String? { locationAsWritten?.absoluteString }

  private var locationAsWritten: URL? {
    headers["location"].flatMap { URL(written: $0, relativeTo: url) }
  }

  package init(
    url: URL, status: Int? = nil, headers: [String: String] = [:], reply: Reply = Reply(),
    trouble: Failure.Cause? = nil, sentAll: Bool = true, bytes: Int64 = 0, seconds: Double = 0
  ) {
    (self.url, self.status, self.headers, self.reply) = (url, status, headers, reply)
    (self.trouble, self.sentAll) = (trouble, sentAll)
    (self.bytes, self.seconds) = (bytes, seconds)
  }
}
