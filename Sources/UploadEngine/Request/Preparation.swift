import Commands
import Foundation
import HTTPTransport
import MultipartForm
import ScalarText
import UploadModel

/// Prepares uploads: runs the target's command on their files, asks the server which of them it has, and requests a
/// ticket.
struct Preparation: Sendable {
  let attempt: Int
  /// What the run adds to its requests.
  private let occasion: Occasion
  private let time: TimeSource
  /// The time that placeholders use, the same for all files of a request.
  private let now: Date
  private let mediaType: @Sendable (FileLocation) -> String?
  private let known: (any DigestMemory)?
  private let cookies: CookieJar

  init(
    attempt: Int, on occasion: Occasion = Occasion(), time: TimeSource,
    mediaType: @escaping @Sendable (FileLocation) -> String?, known: (any DigestMemory)?,
    cookies: CookieJar = CookieJar()
  ) {
    self.occasion = occasion
    (self.attempt, self.time, self.mediaType, self.known) = (attempt, time, mediaType, known)
    self.cookies = cookies
    now = time.date()
  }

  /// Runs the target's command, if it has one. `file` is the open file, if it grows. `position` is the file's place in
  /// its request, from 0.
  func ready(
    _ upload: UploadJob, from file: HeldFile? = nil, at position: Int
  ) async throws(Failure.Cause) -> PreparedUpload {
    var ready = PreparedUpload(upload: upload)
    guard let command = upload.target.prepare else { return try digested(ready, from: file) }
    let item = upload.item
    if file == nil { try Self.check(item) }
    var values = values(for: upload)
    let name = upload.target.sentName(of: item, on: occasion, at: position, now: now)
    let folder = try TemporaryFolder()
    guard let path = String(validating: item.location.bytes, as: UTF8.self) else {
      throw .unsendable("its name is not valid UTF-8, and the prepare command needs it as text")
    }
    // Without `./`, a name that begins with a dash would be taken for an option.
    values.input = path.hasPrefix(scalars: "-") ? "./\(path)" : path
    values.output = folder.path + "/" + Self.component(name)
    let words = command.words.map { $0.filled(with: values) }
    do throws(Command.Failure) {
      _ = try await Command(words, timeout: command.timeout, mostOutput: 1 << 20).output()
    } catch {
      if case .cancelled = error { throw .cancelled }
      if case .notStarted(_, let code) = error, Failure.Cause.isShortage(code) {
        throw .shortage(String(cString: strerror(code)))
      }
      throw .unsendable(SafeText.line("the prepare command failed: \(error.description)"))
    }
    let output = FileLocation(values.output)
    do throws(FileError) {
      let identity = try FileIdentity(of: output)
      ready.upload.item.location = output
      ready.upload.item.fileName = name
      ready.upload.item.identity = identity
      ready.upload.item.size = identity.size
    } catch {
      throw .unsendable("the prepare command wrote nothing to {out}")
    }
    if item.typeSource != UploadItem.chosenByHand, let type = mediaType(output) {
      ready.upload.item.mediaType = type
    }
    // The name is final: the template must not be applied to the prepared file's name.
    ready.upload.item.nameIsChosen = true
    ready.folder = folder
    ready.upload.item.digests = nil
    ready = try digested(ready)
    if let digests = ready.upload.item.digests, !item.nameIsChosen {
      // The name may contain the new digests, but its other parts come from the original.
      var named = item
      named.digests = digests
      ready.upload.item.fileName = upload.target.sentName(
        of: named, on: occasion, at: position, now: now)
    }
    return ready
  }

  /// The upload with the digests of the file that is sent, if they are needed and not known yet.
  private func digested(
    _ ready: PreparedUpload, from file: HeldFile? = nil
  ) throws(Failure.Cause) -> PreparedUpload {
    var ready = ready
    let item = ready.upload.item
    let wanted = ready.upload.destination.digests(forFileOf: item.size)
    guard !wanted.isEmpty, item.digests == nil else { return ready }
    let file = if let file { file } else { try item.opened() }
    // Digests of a command's output are not remembered: the output is gone after the attempt.
    let known = ready.folder == nil ? known : nil
    let isRecorded = ready.upload.target.after.way != nil
    if let digests = file.stamp.flatMap({ known?.digests(of: $0) }), digests.cover(wanted) {
      ready.upload.item.digests = digests
      if isRecorded { ready.upload.item.digestMoment = file.moment }
      return ready
    }
    guard let digests = FileDigest.digests(wanted, of: file, isRecorded: isRecorded) else {
      throw FileDigest.failure
    }
    if let stamp = file.stamp { known?.remember(digests, of: stamp) }
    ready.upload.item.digests = digests
    if isRecorded { ready.upload.item.digestMoment = file.moment }
    return ready
  }

  /// Checks that the file is still the one that was queued, before its content is read. The request checks that again.
  private static func check(_ item: UploadItem) throws(Failure.Cause) {
    do throws(FileError) {
      let found = try FileIdentity(of: item.location)
      if let known = item.identity, known != found { throw FileError(item.location, .modified) }
    } catch {
      throw Failure.Cause(error, wasSeen: item.identity != nil)
    }
  }

  /// The server's statements about files before they are sent.
  struct Existing: Sendable {
    /// For the files that the server has, the end of the request.
    var there: [ItemID: TransferEnd] = [:]
    /// Why the server could not answer for these files.
    var failures: [ItemID: Failure] = [:]
    /// Why the server could not be asked about the remaining files.
    var trouble: Failure?

    /// Whether nothing but `trouble` keeps a file from being sent.
    func leavesOpen(_ id: ItemID) -> Bool { there[id] == nil && failures[id] == nil }
  }

  /// Asks the server which files it already has, if the target defines such a request. If the server refuses a question
  /// about several files, it is asked about fewer, so that none of them makes the others fail.
  func existing(_ uploads: [UploadJob], token: BearerToken?) async -> Existing {
    var existing = Existing()
    guard let check = uploads.first?.target.exists else { return existing }
    for upload in uploads {
      guard let obstacle = check.each?.obstacle(with: values(for: upload)) else {
        continue
      }
      existing.failures[upload.item.id] = Failure(.unsendable(obstacle))
    }
    let uploads = uploads.filter { existing.leavesOpen($0.item.id) }
    var questions = stride(from: 0, to: uploads.count, by: check.most).reversed().map {
      uploads[$0..<min($0 + check.most, uploads.count)]
    }
    while let asked = questions.popLast() {
      do throws(Failure) {
        for (upload, end) in zip(asked, try await ask(check, about: asked, token: token)) {
          existing.there[upload.item.id] = end
        }
      } catch {
        // A store that hides which files it has forbids the questions about some of them.
        let isForbidden = error.status == 403 && error.isTemporary != true && check.most == 1
        guard error.mayBeAboutFiles || isForbidden else {
          existing.trouble = error
          break
        }
        if asked.count > 1 {
          let middle = asked.startIndex + asked.count / 2
          questions += [asked[middle...], asked[..<middle]]
        } else if let upload = asked.first {
          existing.failures[upload.item.id] = error
        }
      }
    }
    return existing
  }

  /// Asks about files in one request. Returns its end for each file that the server has, nil for the others.
  private func ask(
    _ check: ExistenceCheck, about uploads: ArraySlice<UploadJob>, token: BearerToken?
  ) async throws(Failure) -> [TransferEnd?] {
    guard let destination = uploads.first?.destination,
      let values = check.values(of: uploads.map(values))
    else { return [] }
    let client = ServerClient(
      to: destination, on: occasion, token: token, from: nil, cookies: cookies, time: time)
    do throws(Failure) {
      var answer = try await client.reply(to: check.call, values, isQuestion: true)
      // Read once for all files, and not on the engine's queue.
      let content = check.content(of: answer.reply)
      answer.content = check.call.rules.read(answer.reply)
      var ends: [TransferEnd?] = []
      for (index, upload) in uploads.enumerated() {
        var end = answer
        end.place = TransferEnd.Place(index, of: uploads.count)
        (end.digests, end.rules) = (upload.item.digests, check.call.rules)
        end.moment = upload.item.digestMoment
        do throws(Failure.Cause) {
          end.isThereAlready = try check.isThere(end, in: content)
          end.provesPresence = end.isThereAlready && check.isProof(end, in: content)
        } catch {
          throw client.failure(error, after: end, attempts: 0)
        }
        ends.append(end.isThereAlready ? end : nil)
      }
      return ends
    } catch {
      if uploads.count == 1, error.cause == .refused, ExistenceCheck.isMissing(error.status) {
        return [nil]
      }
      var failure = error
      failure.step = .existence
      throw failure
    }
  }

  /// What the server has under a file's name.
  enum Occupant: Sendable {
    case nothing
    /// A file, and the reply that says so, if a request asked about this very name.
    case file(TakenName, TransferEnd?)
    case failure(Failure)
  }

  /// Asks the server what it has under the name of a file, at the file's address or by the target's own question.
  func occupant(
    of upload: UploadJob, _ name: String, by check: Target.NameCheck, token: BearerToken?
  ) async -> Occupant {
    switch check {
    case .exists:
      let (id, found) = (upload.item.id, await existing([upload], token: token))
      if let failure = found.failures[id] ?? found.trouble { return .failure(failure) }
      guard let end = found.there[id] else { return .nothing }
      let isDescribed = upload.target.exists?.call.method == "HEAD" && !end.isFromElsewhere
      return .file(isDescribed ? TakenName(name, in: end, now: now) : TakenName(name), end)
    case .address:
      do throws(Failure) {
        let end = try await client(for: upload, token: token).reply(
          to: upload.target.look("HEAD"), values(for: upload), isQuestion: true)
        return .file(TakenName(name, in: end, now: now), end)
      } catch {
        if error.cause == .refused, ExistenceCheck.isMissing(error.status) { return .nothing }
        var failure = error
        failure.step = .existence
        return .failure(failure)
      }
    case .list, .reply: return .nothing
    }
  }

  /// What the server lists, by name.
  func list(
    for upload: UploadJob, token: BearerToken?
  ) async -> Result<[String: TakenName], Failure> {
    do throws(Failure) {
      let entries = try await client(for: upload, token: token)
        .entries(pages: ServerClient.mostPages).entries
      let names = entries.map { ($0.name, TakenName($0.name, size: $0.size, time: $0.time)) }
      return .success(Dictionary(names) { $1 })
    } catch {
      var failure = error
      failure.step = .existence
      return .failure(failure)
    }
  }

  /// Whether the server's file of this name is, by its size and its checksum or its content, the one that was to be
  /// sent; nil if nobody can tell.
  func isSame(
    _ upload: UploadJob, _ taken: TakenName, _ end: TransferEnd?, by check: Target.NameCheck,
    token: BearerToken?
  ) async -> Bool? {
    if let size = taken.size, size != upload.item.size { return false }
    guard let file = try? upload.item.opened() else { return nil }
    if let end {
      let algorithms: Set<ContentDigests.Algorithm> = [.sha256, .sha512, .sha1, .md5]
      let digests =
        upload.item.digests ?? FileDigest.digests(algorithms, of: file)
      if upload.target.response.verifies(end, with: digests) { return true }
      if upload.target.response.refutes(end, with: digests) { return false }
    }
    // A longer file can begin as this one does.
    guard check == .address, taken.size != nil else { return nil }
    return try? await client(for: upload, token: token).hasContent(
      of: file, by: upload.target.look("GET"), values(for: upload))
  }

  private func client(for upload: UploadJob, token: BearerToken?) -> ServerClient {
    ServerClient(
      to: upload.destination, on: occasion.aside(), token: token, from: nil, cookies: cookies,
      time: time)
  }

  /// Has the server remove what an earlier attempt left of a file. Returns why it could not; nil if nothing is left.
  func removeRemnant(
    of upload: UploadJob, by call: Call, token: BearerToken?
  ) async -> Failure? {
    let client = client(for: upload, token: token)
    var values = values(for: upload)
    do throws(Failure) {
      if call.templates.contains(where: { $0.asks(for: .id) }) {
        let name = upload.target.nameOnServer(of: upload.item, on: occasion, now: now)
        let listed = try await client.entries(pages: ServerClient.mostPages).entries
          .filter { $0.name.utf8.elementsEqual(name.utf8) }
        // If several files have the name, none of them is known to be the remnant.
        guard listed.count == 1 else { return nil }
        values.id = listed[0].id
      }
      _ = try await client.reply(to: call, values)
    } catch {
      var failure = error
      if failure.status == 404 || failure.status == 410 { return nil }
      failure.step = .remnant
      return failure
    }
    return nil
  }

  /// The result of the request for a ticket.
  enum TicketReply: Sendable {
    case granted(Ticket.Grant)
    /// The server already has the file.
    case there(TransferEnd)
  }

  /// Requests a ticket if the target needs one.
  func ticket(for upload: UploadJob, token: BearerToken?) async throws(Failure) -> TicketReply? {
    guard let ticket = upload.target.ticket else { return nil }
    let client = ServerClient(
      to: upload.destination, on: occasion, token: token, from: nil, cookies: cookies, time: time)
    let values = values(for: upload)
    var end = try await client.reply(to: ticket.call, values, isQuestion: true)
    (end.digests, end.rules) = (upload.item.digests, ticket.call.rules)
    do throws(Failure.Cause) {
      if try ticket.isThere(end) {
        end.isThereAlready = true
        return .there(end)
      }
    } catch { throw client.failure(error, after: end, attempts: attempt) }
    do throws(InvalidInput) {
      return .granted(try ticket.grant(in: end, values: values))
    } catch {
      throw client.failure(.unusable(error.description), after: end, attempts: attempt)
    }
  }

  private func values(for upload: UploadJob) -> Template.Values {
    Self.values(for: upload, on: occasion, now: now)
  }

  static func values(
    for upload: UploadJob, on occasion: Occasion, now: Date
  ) -> Template.Values {
    upload.target.values(of: upload.item, on: occasion, now: now, uuid: upload.item.uuid)
  }

  /// The name, made safe so that it cannot lead out of its folder.
  private static func component(_ name: String) -> String {
    let safe = name.replacing(scalars: "/", with: "_").replacing(scalars: "\0", with: "_")
    // 60 scalars take at most 240 bytes; a file name may have 255.
    let short = String(String.UnicodeScalarView(safe.unicodeScalars.suffix(60)))
    return short.isEmpty || short == "." || short == ".." ? "file" : short
  }
}

/// What was prepared for one attempt at an upload.
struct PreparedUpload: Sendable {
  /// The upload with the file and the fields that are sent.
  var upload: UploadJob
  /// The folder of the prepared file, which is removed once the attempt is over.
  var folder: TemporaryFolder?
}

extension Failure {
  /// Whether the server may answer the same question about other files differently. It will not if the answer is about
  /// credentials, or means that the server is busy or away.
  fileprivate var mayBeAboutFiles: Bool {
    guard let status, ![401, 403, 407].contains(status) else { return false }
    return [.refusal, .serverFault].contains(StatusMeaning(status))
  }
}
