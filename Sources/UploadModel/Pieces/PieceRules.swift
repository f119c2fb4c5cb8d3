import Foundation

/// How a target takes files in pieces: which requests begin an upload, carry a piece of the file and finish it.
package struct PieceRules: Hashable, Sendable {
  /// Where requests without an address of their own go; nil for the target's address.
  package var url: Template?
  /// How many bytes a piece should have; nil leaves that to hoist.
  package var size: Int64?
  /// The fewest bytes that a piece may have, unless it is the last one.
  package var min: Int64 = 1
  /// The most bytes of a piece; nil for no limit.
  package var max: Int64?
  /// The size of every piece but the last is a multiple of this many bytes.
  package var round: Int64 = 1
  package var maxPieces = Self.mostPieces
  /// The fewest pieces of a file, if its pieces can be small enough for that.
  package var minPieces = 1
  /// The most pieces of a file that are sent at once; nil leaves that to the target's lanes, if any order will do.
  package var parallel: Int?
  /// Files of at most this many bytes go in the target's usual request; nil if all go in pieces.
  package var above: Int64?
  package var first = 1
  /// The request that begins an upload; nil if none is needed.
  package var begin: Call?
  /// The request that carries a piece.
  package var piece = Call(method: "PUT")
  /// What becomes of a piece if it is unknown whether the server has it.
  package var unanswered = Unanswered.again
  /// The values to keep from the reply to the first piece, instead of the reply to `begin`.
  package var beginning: [Call.Value] = []
  /// The request for the last piece, if it differs from the others.
  package var last: Call?
  /// The request that joins the pieces into one file; nil if the reply to the last piece is the upload's reply.
  package var finish: Call?
  /// The request that makes the server forget an upload; nil if there is none.
  package var abort: Call?
  /// The request that asks how much of the file the server has; nil if the server cannot be asked.
  package var status: Call?
  /// The request for permission before each piece; nil if none is needed.
  package var ticket: Call?
  /// How `{pieces}` lists each piece; nil if there is no such list.
  package var each: Each?
  /// How a reply shows, besides by 404 or 410, that the server no longer knows the upload.
  package var forgotten: [FailureRule] = []

  /// The most pieces of a file, even if a service takes more.
  package static let mostPieces = 10_000
  /// How many bytes a piece has if the configuration does not say.
  static let usualSize: Int64 = 16 << 20

  /// What becomes of a piece whose reply was lost.
  package enum Unanswered: String, Hashable, Sendable, CaseIterable {
    /// It is sent again.
    case again
    /// It counts as taken. If the server did not take it, the server will refuse to finish the upload.
    case taken
    /// The whole upload starts over.
    case restart
  }

  /// How `{pieces}` lists a piece.
  package struct Each: Hashable, Sendable {
    package var template: Template
    /// Goes between the texts of two pieces; nil if the texts are the elements of a JSON array.
    package var separator: String?

    package init(_ template: Template, separator: String? = nil) {
      (self.template, self.separator) = (template, separator)
    }
  }

  /// Rules that PUT the pieces of files to the target's address.
  package init() {}

  /// Whether a file of this size goes in pieces.
  package func holds(for size: Int64) -> Bool { above.map { size > $0 } ?? true }

  /// How many bytes each piece of a file but the last has. Throws if the service cannot take a file of this size.
  package func size(for file: Int64) throws(Failure.Cause) -> Int64 {
    func up(_ value: Int64) -> Int64 {
      let (sum, isTooMuch) = value.addingReportingOverflow(round - 1)
      return isTooMuch ? .max / round * round : sum / round * round
    }
    let most = Int64(maxPieces)
    let least = Swift.max(min, file / most + (file % most == 0 ? 0 : 1), 1)
    let wanted = Swift.min(size ?? Self.usualSize, Swift.max(1, file / Int64(minPieces)))
    var piece = up(Swift.max(wanted, least))
    if let max, piece > max { piece = max / round * round }
    guard piece >= least else {
      throw .unsendable(
        "it would need more than \(maxPieces) pieces of at most \(HumanReadable.bytes(piece))")
    }
    return piece
  }

  /// How many pieces of `size` bytes a file has. An empty file is one empty piece.
  package static func count(of size: Int64, for file: Int64) -> Int {
    let size = Swift.max(1, size)
    return Swift.max(1, Int(clamping: file / size + (file % size == 0 ? 0 : 1)))
  }

  package func piece(from offset: Int64, of size: Int64, in file: Int64) -> Template.Values.Piece {
    let end = Swift.min(file - offset, size) + offset
    let index = Int(clamping: offset / size)
    return Template.Values.Piece(
      number: first + index, index: index, range: offset..<end, isLast: end == file)
  }

  package func call(for piece: Template.Values.Piece) -> Call {
    piece.isLast ? last ?? self.piece : self.piece
  }

  /// The request for the first piece of a file as a preview shows it, and the values that fill its placeholders, such
  /// as that piece's digests. Values that only replies give stay placeholders.
  package func preview(
    of file: Int64, in size: Int64, digests: ContentDigests?, _ values: Template.Values
  ) -> (call: Call, values: Template.Values) {
    var values = values
    values.gaps = .ofReplies
    values.upload.count = Self.count(of: size, for: file)
    values.piece = piece(from: 0, of: size, in: file)
    values.piece.digests = digests
    return (call(for: values.piece), values)
  }

  /// The requests, with their names in the configuration.
  package var calls: [(name: String, call: Call)] {
    [
      ("begin", begin), ("ticket", ticket), ("piece", piece), ("last", last), ("finish", finish),
      ("abort", abort), ("status", status),
    ].compactMap { name, call in call.map { (name, $0) } }
  }

  /// The names of the values that are kept for the whole upload.
  package var begunNames: Set<String> { Set(((begin?.values ?? []) + beginning).map(\.name)) }

  /// The configuration key that makes the order of the pieces matter (for `finish`, because it is missing); nil if any
  /// order will do.
  package var orderedBy: String? {
    if finish == nil { return "finish" }
    if piece.offset != nil || last?.offset != nil { return "offset" }
    if status != nil { return "status" }
    if !beginning.isEmpty { return "begins" }
    return unanswered == .again ? nil : "unanswered"
  }

  /// The most pieces of a file that may be sent at once.
  ///
  /// A server that is told all pieces in the end does not need them in order. One that is not may append them as they
  /// come, so with that one, the configuration has to say that they can be sent at once.
  package var mostAtOnce: Int {
    guard orderedBy == nil else { return 1 }
    let namesAll = finish?.templates.contains { $0.asks(for: .pieces) } ?? false
    return parallel ?? (namesAll ? Concurrency.range.upperBound : 1)
  }

  /// Whether a reply says that the server no longer knows the upload.
  package func isForgotten(_ end: TransferEnd) -> Bool {
    if end.status == 404 || end.status == 410 { return true }
    guard !forgotten.isEmpty else { return false }
    var rules = ReplyRules()
    rules.failures = forgotten
    let complaint = rules.complaint(in: rules.read(end.reply), of: end)
    return if case .rejected? = complaint { true } else { false }
  }

  /// All templates, each with its key in the configuration.
  package var namedTemplates: [(name: String, template: Template)] {
    [("url", url), ("each", each?.template)].compactMap { name, text in text.map { (name, $0) } }
      + calls.flatMap { name, call in call.templates.map { (name, $0) } }
  }

  package var templates: [Template] { namedTemplates.map(\.template) }

  package var digests: Set<ContentDigests.Algorithm> {
    Set(templates.flatMap(\.placeholders).compactMap(\.pieceDigest))
  }

  /// The names of the values that `each` needs of each piece, sorted.
  package var keptValues: [String] {
    guard let each else { return [] }
    let digests = each.template.placeholders.filter { $0.pieceDigest != nil }.map(\.rawValue)
    return Set(each.template.names(of: .pieceValue) + digests).sorted()
  }
}

extension PieceRules {
  /// The rules for the reply that ends an upload: the target's, unless the request has its own.
  package func response(of target: Target) -> ReplyRules {
    let own = finish == nil ? last?.rules : finish?.rules
    guard let own, own != ReplyRules() else { return target.response }
    var response = target.response
    (response.ok, response.failures, response.unreadable) = (own.ok, own.failures, own.unreadable)
    return response
  }

  /// The address of the requests that have none of their own.
  package func base(of target: Target) -> Template {
    url ?? target.address ?? Template(literal: target.url.absoluteString)
  }
}
