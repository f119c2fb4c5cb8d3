import Foundation
import HTTPTransport
import ScalarText
import UploadModel

extension TransferEnd {
  /// The end of a request to `url` as the transport reports it. `most` is how many bytes of the reply are kept.
  init(
    _ end: ExchangeEnd, _ head: ReplyHead?, of url: URL, keeping most: Int = .max,
    proxy: @autoclosure () -> String?
  ) {
    let headers = head?.headers ?? [:]
    self.init(
      url: url, status: head?.status, headers: headers,
      reply: Reply(
        text: String(decoding: end.reply.prefix(most), as: UTF8.self),
        isCut: end.isReplyCut || end.reply.count > most,
        mediaType: headers["content-type"].map {
          $0.split(scalar: ";", maxSplits: 1)[0].trimming(\.isWhiteSpace).lowercased()
        }),
      trouble: end.trouble.map { Failure.Cause($0, host: url.host ?? "", proxy: proxy()) })
    isReplyFramed = head?.isFramed ?? false
    // Of a reply that is too long, the transport does not want the rest.
    replyBytes = end.isReplyCut ? nil : end.reply.count
    // A proxy asks for credentials in the same way with a tunnel and without one, so this is a reply.
    if case .proxyRefused(let status)? = end.trouble?.kind, status == 407 {
      (self.status, trouble) = (status, nil)
    }
    isFirstOnConnection = end.isFirstOnConnection
    hasNonceExpired = end.hasChallengeExpired
  }
}
