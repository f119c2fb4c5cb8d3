import Foundation
import MultipartForm
import Resuming
import UploadModel

extension Occasion {
  /// The occasion of an upload to a target that is only shown.
  static func shown(of target: Target) -> Occasion {
    var shown = target.run.open == nil ? Occasion() : .shown()
    shown.keepsOthers = target.checksNames && target.nameCheck == .address
    return shown
  }
}

extension CurlCommand {
  /// The commands that send files together as hoist would: one for each request of the upload, in their order. As in a
  /// dry run, only the first piece of a file has a command of its own.
  package static func all(
    for uploads: [UploadJob], now: Date
  ) throws(InvalidInput) -> [CurlCommand] {
    guard let destination = uploads.first?.destination else { return [] }
    let target = destination.target
    let occasion = Occasion.shown(of: target)
    let items = uploads.map { upload in
      var item = upload.item
      let wanted = destination.digests(forFileOf: item.size)
      if !wanted.isEmpty { item.digests = FileDigest.digests(wanted, of: item.location) }
      return item
    }
    let first = UploadJob(item: items[0], destination: destination)
    let values = Preparation.values(for: first, on: occasion, now: now)
    if target.resume.createsFirst { return try resumable(first, values) }
    if let rules = target.resume.pieces, rules.holds(for: first.item.size) {
      return try pieces(rules, first, values, occasion)
    }
    let ticket = try target.ticket.map { ticket throws(InvalidInput) in
      try CurlCommand(request(ticket.call, target, values), to: destination, values, note: "First")
    }
    let more = [
      target.ticket?.fields.map { "the form fields at \($0)" },
      target.ticket?.headers.map { "the header fields at \($0)" },
    ].compactMap(\.self)
    let note = more.isEmpty ? "Then" : "Then, with \(more.joined(separator: " and ")) of the ticket"
    let upload = try CurlCommand(
      items, with: UploadJob.companions(of: items, to: destination), to: destination, on: occasion,
      now: now,
      key: RequestKey.of(items.map(\.uuid)), note: ticket == nil ? nil : note)
    return [ticket, upload].compactMap(\.self)
  }

  /// The commands that make the folders on the way to the files, if the server lacks them.
  package static func folders(
    for uploads: [UploadJob], now: Date
  ) throws(InvalidInput) -> [CurlCommand] {
    guard let first = uploads.first else { return [] }
    let values = Preparation.values(
      for: first, on: Occasion.shown(of: first.target), now: now)
    return try ResumeRequest.folders(of: first.destination, values).map {
      request throws(InvalidInput) in
      try CurlCommand(
        request, to: first.destination, values, note: "If the server lacks this folder")
    }
  }

  /// The commands for the requests before the first file of a run and after its last.
  package static func run(
    of destination: SendPlan, now: Date
  ) throws(InvalidInput) -> (open: CurlCommand?, close: CurlCommand?) {
    let target = destination.target
    func command(
      _ call: Call?, on occasion: Occasion, _ note: String
    ) throws(InvalidInput) -> CurlCommand? {
      let values = occasion.values(now: now)
      return try call.map { call throws(InvalidInput) in
        try CurlCommand(request(call, target, values), to: destination, values, note: note)
      }
    }
    return (
      try command(target.run.open, on: .shown(isInRun: false), "Once, before the first file"),
      try command(target.run.close?.call, on: .shown(), "Once, after the last file")
    )
  }

  /// The commands for a resumable upload, whose reply to the first request says where the others go.
  private static func resumable(
    _ upload: UploadJob, _ values: Template.Values
  ) throws(InvalidInput) -> [CurlCommand] {
    let (destination, target, item) = (upload.destination, upload.target, upload.item)
    var (creation, piece): (ResumeRequest, ResumeRequest)
    do throws(Failure.Cause) {
      let place = try UploadRequest.creation(of: destination, at: target.url, values)
      creation = TusMachine.creation(
        at: place, size: item.size, metadata: target.resume.metadataHeader(with: values))
      piece = TusMachine.piece(at: place, from: 0)
    } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    creation.described = .init(address: destination.address(with: values))
    piece.described = .init(
      address: [.text("{header field Location}")], isAddressFromReply: true)
    let size = min(item.size, target.resume.chunk ?? .max)
    let count = PieceRules.count(of: size, for: item.size)
    return [
      try CurlCommand(creation, to: destination, values, note: "First"),
      try CurlCommand(
        piece, to: destination, values, .file(item.location), from: start(of: item, size),
        note: count == 1 ? "Then" : "Piece 1 of \(count)"),
    ]
  }

  /// The commands for an upload in pieces.
  private static func pieces(
    _ rules: PieceRules, _ upload: UploadJob, _ own: Template.Values, _ occasion: Occasion
  ) throws(InvalidInput) -> [CurlCommand] {
    let (destination, target, item) = (upload.destination, upload.target, upload.item)
    let size: Int64
    do throws(Failure.Cause) { size = try rules.size(for: item.size) } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    let wanted = target.signsContent ? rules.digests.union([.sha256]) : rules.digests
    let digests = wanted.isEmpty ? nil : FileDigest.digests(wanted, of: item.location, first: size)
    let count = PieceRules.count(of: size, for: item.size)
    let (call, values) = rules.preview(of: item.size, in: size, digests: digests, own)
    func command(_ call: Call?, _ note: String) throws(InvalidInput) -> CurlCommand? {
      try call.map { call throws(InvalidInput) in
        try CurlCommand(request(call, target, values), to: destination, own, note: note)
      }
    }
    var content = Content.file(item.location)
    if call.body == .multipart {
      do throws(Failure.Cause) {
        let plan = try RequestPlan(
          [item], to: destination, on: occasion, at: .target, credentials: .none, values)
        content = .form(plan.parts)
      } catch {
        throw InvalidInput(Failure(error).explanation)
      }
    }
    let piece = try CurlCommand(
      request(call, target, values), to: destination, own, content, from: start(of: item, size),
      type: call.body == .multipart ? nil : target.sentType(of: item), sum: digests?[.sha256],
      note: "Piece 1 of \(count)")
    return [
      try command(rules.begin, "First"), try command(rules.ticket, "Before each piece"), piece,
      try command(rules.finish, "At the end"),
    ].compactMap(\.self)
  }

  private static func request(
    _ call: Call, _ target: Target, _ values: Template.Values
  ) throws(InvalidInput) -> ResumeRequest {
    do throws(Failure.Cause) { return try ResumeRequest(call, of: target, values) } catch {
      throw InvalidInput(Failure(error).explanation)
    }
  }

  /// The first bytes of a file; nil for all of it.
  private static func start(of item: UploadItem, _ bytes: Int64) -> Beginning? {
    bytes < item.size ? Beginning(of: item.location, bytes: bytes) : nil
  }
}
