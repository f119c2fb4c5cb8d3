import Foundation
import JSONText
import ScalarText

extension Template {
  /// What a placeholder in a template may stand for.
  package enum Placeholder: String, CaseIterable, Sendable {
    /// The file's name with its extension.
    case fileName = "file.name"
    /// The file's name without its last extension.
    case fileStem = "file.stem"
    /// The file's last extension, without the dot.
    case fileExtension = "file.ext"
    /// The path from the folder that was added down to the file, both included.
    case filePath = "file.path"
    /// The file's size in bytes.
    case fileSize = "file.size"
    /// The file's media type.
    case fileType = "file.type"
    /// When the file was last written to, in UTC: 2026-11-20T22:15:00Z.
    case fileModified = "file.mtime"
    /// When the file was last written to, in seconds since 1970.
    case fileModifiedSeconds = "file.mtime.unix_s"
    /// When the file was last written to, in milliseconds since 1970.
    case fileModifiedMilliseconds = "file.mtime.unix_ms"
    /// The SHA-256 of the content that is sent, in lower-case hexadecimal digits.
    case fileSHA256 = "file.sha256"
    /// The SHA-1 of the content that is sent, for servers that still ask for it.
    case fileSHA1 = "file.sha1"
    /// The MD5 of the content that is sent, for servers that still ask for it.
    case fileMD5 = "file.md5"
    case fileSHA512 = "file.sha512"
    case fileCRC32 = "file.crc32"
    case fileCRC32C = "file.crc32c"
    /// The time of the request in milliseconds since 1970.
    case unixMilliseconds = "unix_ms"
    /// The time of the request in seconds since 1970.
    case unixSeconds = "unix_s"
    /// The time of the request in UTC: 2026-11-20T22:15:00Z.
    case iso8601 = "now.iso8601"
    /// The same, for a date: `{now|%Y-%m-%d}`.
    case now = "now"
    /// A random UUID, new for each file.
    case uuid = "uuid"
    /// The file's number in its request, from 1.
    case index = "index"
    /// The address where the server put the file.
    case resultURL = "result.url"
    /// A value of the ticket, by its JSON Pointer.
    case ticket = "ticket:/…"
    /// A value of the reply to the upload, by its JSON Pointer.
    case reply = "reply:/…"
    /// The server's identifier of an entry in its list.
    case id = "id"
    /// The path of the file that `prepare` reads.
    case input = "in"
    /// The path of the file that `prepare` writes.
    case output = "out"
    /// A random identifier, the same for all requests of an upload in pieces.
    case uploadID = "upload.id"
    /// The number of pieces.
    case pieceCount = "piece.count"
    /// The piece's number. The first piece has the number that the setting `first` gives.
    case pieceNumber = "piece.number"
    /// The piece's number, from 0.
    case pieceIndex = "piece.index"
    /// The offset of the piece's first byte in the file.
    case pieceOffset = "piece.offset"
    /// The offset of the piece's last byte in the file.
    case pieceEnd = "piece.end"
    /// The offset after the piece's last byte.
    case pieceNext = "piece.next"
    /// The piece's size in bytes.
    case pieceSize = "piece.size"
    /// `true` for the last piece, otherwise `false`.
    case pieceIsLast = "piece.is_last"
    /// The SHA-256 of the piece in lower-case hexadecimal digits.
    case pieceSHA256 = "piece.sha256"
    case pieceSHA1 = "piece.sha1"
    case pieceMD5 = "piece.md5"
    case pieceSHA512 = "piece.sha512"
    case pieceCRC32 = "piece.crc32"
    case pieceCRC32C = "piece.crc32c"
    /// The texts that the setting `each` gives for all pieces, in order.
    case pieces = "pieces"
    /// The texts that the setting `each` gives, one for each file of the request, in order.
    case files = "files"
    /// A value kept from the reply to the request `begin`, by its name.
    case begun = "begin.…"
    /// A value kept from the reply to the piece, by its name.
    case pieceValue = "piece.…"
    /// A value kept from the reply to the request `open`, by its name.
    case opened = "open.…"

    /// Placeholders that have a value wherever hoist talks to a server.
    package static let always: [Placeholder] = [
      .unixSeconds, .unixMilliseconds, .iso8601, .now, .uuid,
    ]
    /// Placeholders for a file before it is sent.
    package static let ofFile: [Placeholder] =
      [
        .fileName, .fileStem, .fileExtension, .filePath, .fileSize, .fileType, .fileModified,
        .fileModifiedSeconds, .fileModifiedMilliseconds,
      ] + digestsOfFile + [.index, .opened] + always
    package static let digestsOfFile: [Placeholder] = [
      .fileSHA256, .fileSHA512, .fileSHA1, .fileMD5, .fileCRC32, .fileCRC32C,
    ]
    package static let ofTicket: [Placeholder] = ofFile + [.ticket]
    /// Placeholders for a file that has been sent.
    package static let ofResult: [Placeholder] = ofFile + [.resultURL, .reply]
    /// Placeholders for a file that goes in pieces.
    package static let ofUpload: [Placeholder] = ofFile + [.uploadID, .pieceCount]
    /// Placeholders for one piece, besides those for its file.
    package static let ofPiece: [Placeholder] = [
      .pieceNumber, .pieceIndex, .pieceOffset, .pieceEnd, .pieceNext, .pieceSize, .pieceIsLast,
      .pieceSHA256, .pieceSHA512, .pieceSHA1, .pieceMD5, .pieceCRC32, .pieceCRC32C,
    ]
    /// Placeholders for values of replies.
    static let ofReplies: [Placeholder] = [.ticket, .reply]
    package static let ofEntry: [Placeholder] = always + [.id]
    /// Placeholders for a command that makes the file to send.
    package static let ofCommand: [Placeholder] = ofFile + [.input, .output]

    /// Placeholders for values that a configuration names.
    static let named: [Placeholder] = [.begun, .pieceValue, .opened]
    /// What the placeholders for values of replies and for named values begin with.
    static let prefixes = (ofReplies + named).compactMap(\.prefix)

    /// The text before the pointer in a placeholder for a value of a reply, or before the name in a placeholder for a
    /// named value; nil for any other placeholder.
    package var prefix: String? {
      switch self {
      case .ticket: "ticket:"
      case .reply: "reply:"
      case .begun: "begin."
      case .pieceValue: "piece."
      case .opened: "open."
      default: nil
      }
    }

    /// The text after `prefix` in a name; nil if the name does not begin with it.
    func rest(of name: String) -> String? { prefix.flatMap { name.removingPrefix(scalars: $0) } }

    /// The algorithm of the piece's digest that it stands for; nil if it stands for something else.
    var pieceDigest: ContentDigests.Algorithm? { digest(after: "piece.") }

    /// The algorithm of the content's digest that it stands for; nil if it stands for something else.
    var digest: ContentDigests.Algorithm? { digest(after: "file.") }

    private func digest(after prefix: String) -> ContentDigests.Algorithm? {
      rawValue.removingPrefix(scalars: prefix).flatMap(ContentDigests.Algorithm.init(rawValue:))
    }

    /// Whether its value may be written in JSON without quotation marks: it is always a number or a Boolean, or it
    /// comes from a reply, which decides what it is.
    var mayBeNumber: Bool {
      switch self {
      case .fileSize, .fileModifiedSeconds, .fileModifiedMilliseconds, .unixSeconds,
        .unixMilliseconds, .index, .ticket, .reply, .pieceCount, .pieceNumber, .pieceIndex,
        .pieceOffset, .pieceEnd, .pieceNext, .pieceSize, .pieceIsLast, .begun, .pieceValue,
        .opened:
        true
      default: false
      }
    }

    func value(in values: Values) -> String {
      switch self {
      case .fileName: values.fileName
      case .fileStem: Self.split(values.fileName).stem
      case .fileExtension: Self.split(values.fileName).ext
      case .filePath: values.folder + values.fileName
      case .fileSize: String(values.fileSize)
      case .fileType: values.fileType
      case .fileModified:
        Date(timeIntervalSince1970: Double(values.modified / 1_000_000_000)).formatted(.iso8601)
      case .fileModifiedSeconds: String(values.modified / 1_000_000_000)
      case .fileModifiedMilliseconds: String(values.modified / 1_000_000)
      case .fileSHA256, .fileSHA512, .fileSHA1, .fileMD5, .fileCRC32, .fileCRC32C:
        digest.flatMap { values.digests?[$0] } ?? ""
      case .unixMilliseconds: String(Int64(values.now.timeIntervalSince1970 * 1000))
      case .unixSeconds: String(Int64(values.now.timeIntervalSince1970))
      case .iso8601, .now: values.now.formatted(.iso8601)
      case .uuid: values.uuid.uuidString.lowercased()
      case .index: String(values.index)
      case .resultURL: values.resultURL
      case .id: values.id
      case .input: values.input
      case .output: values.output
      case .uploadID: values.upload.id
      case .pieceCount: String(values.upload.count)
      case .pieceNumber: String(values.piece.number)
      case .pieceIndex: String(values.piece.index)
      case .pieceOffset: String(values.piece.range.lowerBound)
      case .pieceEnd: String(values.piece.range.upperBound - 1)
      case .pieceNext: String(values.piece.range.upperBound)
      case .pieceSize: String(values.piece.range.count)
      case .pieceIsLast: String(values.piece.isLast)
      case .pieceSHA256, .pieceSHA512, .pieceSHA1, .pieceMD5, .pieceCRC32, .pieceCRC32C:
        pieceDigest.flatMap { values.piece.digests?[$0] } ?? ""
      case .pieces: values.upload.pieces
      case .files: values.files
      case .ticket, .reply, .begun, .pieceValue, .opened: ""
      }
    }

    /// The time that it stands for, in seconds since 1970; nil if it stands for something else.
    func seconds(in values: Values) -> Int64? {
      switch self {
      case .now: Int64(values.now.timeIntervalSince1970.rounded(.down))
      case .fileModified:
        Int64(
          clamping: values.modified / 1_000_000_000 - (values.modified % 1_000_000_000 < 0 ? 1 : 0))
      default: nil
      }
    }

    /// Whether it can be written as a date.
    var isTime: Bool { self == .now || self == .fileModified }

    /// Whether a header field cannot say it: the last byte of a piece that has none (RFC 9110 §14.4), or a year that does
    /// not have four digits (RFC 3339 §5.6).
    func isUnsaid(in values: Values) -> Bool {
      switch self {
      case .pieceEnd: values.piece.range.isEmpty
      case .fileModified: !Self.years.contains(values.modified / 1_000_000_000)
      default: false
      }
    }

    /// The years 1 to 9999, in seconds since 1970.
    private static let years: Range<Int128> = -62_135_596_800..<253_402_300_800

    /// Splits a name at its last dot. A leading dot makes a hidden file, not an extension.
    static func split(_ name: String) -> (stem: String, ext: String) {
      let scalars = name.unicodeScalars
      guard let dot = scalars.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
      return (String(scalars[..<dot]), String(scalars[scalars.index(after: dot)...]))
    }
  }

  /// The values that fill in a template.
  package struct Values: Sendable {
    /// The file's name on disk.
    var fileName: String
    /// The folders from the one that was added down to the file, each followed by a slash.
    var folder = ""
    /// The file's size in bytes.
    var fileSize: Int64
    var fileType: String
    package var now: Date
    /// The random identifier of this file's upload.
    var uuid: UUID
    /// When the file was last written to, in nanoseconds since 1970.
    var modified: Int128 = 0
    /// The digests of the file's content, if they are asked for.
    var digests: ContentDigests?
    /// What the ticket says.
    package var ticket: JSONValue?
    /// What the reply to the upload says.
    package var reply: JSONValue?
    /// The file's number in its request, from 1.
    package var index = 1
    /// The address where the server put the file.
    package var resultURL = ""
    /// The server's identifier of an entry in its list.
    package var id = ""
    /// The texts that the setting `each` gives for the files that a request is about.
    var files = ""
    /// The path that a command reads from.
    package var input = ""
    /// The path that a command writes to.
    package var output = ""
    /// How far local time is ahead of UTC, in seconds, at a time in seconds since 1970.
    var offset: @Sendable (Int64) -> Int = LocalOffset.at
    /// Which placeholders stay as they are.
    package var gaps = Gaps.none
    /// The values kept from the reply to the request `open`; nil outside a run.
    package var opened: [String: String]?
    package var upload = Upload()
    package var piece = Piece()

    /// An upload in pieces.
    package struct Upload: Hashable, Sendable {
      package var id = ""
      /// How many pieces it has.
      package var count = 1
      /// The values kept from the reply to the request `begin`.
      package var begun: [String: String]
      /// Whether a server other than the target's own gave one of the kept values, or a ticket.
      package var isFromAway = false
      /// The texts that the setting `each` gives for its pieces.
      package var pieces = ""

      package init(
        id: String = "", count: Int = 1, begun: [String: String] = Dictionary(),
        isFromAway: Bool = false,
        pieces: String = ""
      ) {
        (self.id, self.count, self.begun) = (id, count, begun)
        (self.isFromAway, self.pieces) = (isFromAway, pieces)
      }
    }

    /// The values for templates without placeholders.
    static let none = Template.Values(now: Date(timeIntervalSince1970: 0), uuid: UUID())

    package struct Piece: Hashable, Sendable {
      /// The piece's number. The first piece has the number that the setting `first` gives.
      package var number = 1
      /// The piece's number, from 0.
      package var index = 0
      package var range: Range<Int64> = 0..<0
      package var isLast = false
      package var digests: ContentDigests?
      /// The values kept from the reply to the piece.
      package var values: [String: String]

      package init(
        number: Int = 1, index: Int = 0, range: Range<Int64> = 0..<0, isLast: Bool = false,
        digests: ContentDigests? = nil, values: [String: String] = Dictionary()
      ) {
        (self.number, self.index, self.range) = (number, index, range)
        (self.isLast, self.digests, self.values) = (isLast, digests, values)
      }
    }

    /// The values for one file, or for a request without a file.
    package init(
      fileName: String = "", fileSize: Int64 = 0, fileType: String = "", now: Date, uuid: UUID
    ) {
      (self.fileName, self.fileSize, self.fileType) = (fileName, fileSize, fileType)
      (self.now, self.uuid) = (now, uuid)
    }
  }
}
