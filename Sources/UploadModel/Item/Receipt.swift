/// What the server said when it took a file.
package struct Receipt: Hashable, Sendable, Codable {
  package var status: Int
  /// Where the file can be found now, if the reply said so.
  package var url: String?
  /// The page that deletes the file when it is opened, if the reply named one.
  package var deletionURL: String?
  /// The beginning of the reply's body.
  package var reply: Reply
  /// The number of attempts that the upload took, from 1.
  package var attempts: Int
  /// Seconds from the start of the last attempt to the reply.
  package var seconds: Double
  /// How many of the file's bytes were sent.
  package var bytes: Int64
  /// The file as it was described to the server; nil if it was not sent.
  package var sent: SentFile?
  /// The pieces that the server took, if the file went in pieces.
  package var pieces: PieceCount?
  /// Whether the server had the file already.
  package var wasThere = false
  /// Whether only a person says that the file has arrived, after an attempt whose outcome was unclear. This proves
  /// nothing, so nothing happens to the local file.
  package var isConfirmed = false
  /// When it arrived, in seconds since 1970, as the queue has recorded it; nil until it is read from there.
  package var arrived: Double?
  /// The algorithm of the server's checksum, which matches the file's, such as "sha-256"; nil if the server gave none.
  package var verified: String?

  /// What the reply says if it seems to say no, as "quota exceeded", or how it broke off
  /// (`TransferEnd.breakOfReply`), and no rule of the target judges it; nil otherwise.
  package var doubt: String?
  /// How many bytes the local file has gained since it was opened to be sent; nil if none. The server has what the file
  /// had then.
  package var growth: Int64?

  /// What became of a file whose name was taken on the server; nil if it was not taken.
  package var fate: NameFate?

  /// What has the file's name on the server, so that the file was not sent; nil if it was, or was there already.
  package var skipped: TakenName? { fate?.skipped }

  /// Whether the server may not have what the local file is.
  package var isDoubtful: Bool { doubt != nil || growth != nil }

  /// What is doubtful, in words; nil if nothing is.
  package var doubtfulBecause: String? {
    doubt ?? growth.map(Self.words(ofGrowth:))
  }

  /// A doubt in a sentence: "the reply says: quota exceeded", "the reply broke off after 4 of 100 bytes".
  package static func words(ofDoubt doubt: String) -> String {
    isBreak(doubt) ? doubt : "the reply says: \(doubt)"
  }

  /// Whether the doubt is that the reply broke off. What a server says in these words would mean the same.
  package static func isBreak(_ doubt: String) -> Bool {
    doubt.hasPrefix(scalars: TransferEnd.replyBrokeOff)
  }

  package static func words(ofGrowth bytes: Int64) -> String {
    "the file has grown by \(HumanReadable.bytes(bytes)) since it was read"
  }

  /// What happens to the local file now that the server has proved that it has the content; nil if the file stays.
  package var disposal: Disposal?

  /// What became of the file, in words.
  package var words: String {
    if let doubt { return "\(status), but \(Self.words(ofDoubt: doubt))" }
    if let doubtfulBecause {
      return "\(wasThere ? "there already" : "\(status)"), but \(doubtfulBecause)"
    }
    if skipped != nil { return "skipped, the name is taken" }
    if isConfirmed { return "arrived, confirmed by hand" }
    return (wasThere ? "there already" : Failure.statusLine(status))
      + (fate?.renamed.map { ", as \($0)" } ?? "") + (proof.map { ", \($0)" } ?? "")
  }

  /// "verified sha-256"; nil if the content was not verified.
  package var proof: String? { verified.map { "verified \($0)" } }

  /// How fast the last attempt was, in bytes per second; nil if nothing moved.
  package var meanSpeed: Double? { ThroughputEstimate.mean(of: bytes, in: seconds) }

  /// The receipt of a file that a person has found on the server, after a failure that left this unclear.
  package init(confirming failure: Failure) {
    self.init(status: failure.status ?? 0, reply: failure.reply, attempts: failure.attempts)
    (wasThere, isConfirmed) = (true, true)
  }

  package init(
    status: Int, url: String? = nil, deletionURL: String? = nil, reply: Reply = Reply(),
    attempts: Int = 1, seconds: Double = 0, bytes: Int64 = 0, sent: SentFile? = nil
  ) {
    self.status = status
    self.url = url
    self.deletionURL = deletionURL
    self.reply = reply
    self.attempts = attempts
    self.seconds = seconds
    self.bytes = bytes
    self.sent = sent
  }
}

/// A file as its request described it to the server. It can differ from the file in the queue: the target's command and
/// templates may have changed its name, type and content.
package struct SentFile: Hashable, Sendable, Codable {
  package var name: String
  /// The media type, as `type/subtype`.
  package var mediaType: String
  /// The size of the whole content in bytes.
  package var size: Int64

  package init(name: String, mediaType: String, size: Int64) {
    (self.name, self.mediaType, self.size) = (name, mediaType, size)
  }
}
