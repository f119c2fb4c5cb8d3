import ArgumentParser
import Foundation
import JSONText
import ProcessContext
import Scheduling
import Sessions
import UploadEngine
import UploadModel

/// `--dry-run` and `--as-curl`: show what would be sent, and send nothing.
struct PreviewOptions: ParsableArguments {
  @Flag(
    help: .usual("Show each request, and send nothing.", detail: "Secrets are shown as $NAME."))
  var dryRun = false

  @Flag(
    help: .usual(
      "Print a curl command for each, and send nothing.", detail: "Secrets are shown as $NAME."))
  var asCurl = false

  /// Whether either option is given, so that nothing is sent.
  var isAskedFor: Bool { dryRun || asCurl }

  func validate() throws {
    guard !dryRun || !asCurl else {
      throw ValidationError("--dry-run and --as-curl cannot be combined; choose one")
    }
  }

  /// Shows what was asked for and returns the exit status; returns nil if the files should be sent.
  func show(_ inputs: PushInputs, to target: Target, json: Bool, in context: Context) throws
    -> ExitStatus?
  {
    guard isAskedFor else { return nil }
    let destination = SendPlan(target)
    var (inputs, items) = (inputs, [UploadItem]())
    inputs.watch = nil
    let intake = FileIntake(for: target, as: inputs.usual)
    inputs.walk(intake) { item in
      if intake.accompanying(item) == nil { items.append(item) }
      return true
    }
    var areAllShown = true
    for item in items {
      guard let failure = item.state.failure else { continue }
      areAllShown = false
      complain(of: item, failure.cause, in: context)
    }
    if target.prepare != nil {
      context.output.error(
        "hoist: the command that prepares the files is not run; the files are shown without it")
    }
    let sound = items.filter { $0.state.failure == nil }
    if asCurl {
      try showCommands(for: sound, to: destination, in: context)
    } else if try !showRequests(
      for: sound, to: destination, after: inputs.sent, json: json, in: context)
    {
      areAllShown = false
    }
    return areAllShown ? .success : .someFailed
  }

  private func complain(of item: UploadItem, _ cause: Failure.Cause, in context: Context) {
    let failure = Failure(cause)
    context.output.error(
      SafeText.line("hoist: \(item.location): \(failure.headline). \(failure.explanation)"))
  }

  /// Shows the requests. `sent` are the addresses that are taken already. Returns whether all files could be shown.
  private func showRequests(
    for items: [UploadItem], to destination: SendPlan, after sent: SentAddresses, json: Bool,
    in context: Context
  ) throws -> Bool {
    let target = destination.target
    var (sound, areAllShown) = (items, true)
    for index in sound.indices where !destination.digests.isEmpty {
      sound[index].digests = FileDigest.digests(destination.digests, of: sound[index].location)
    }
    let run: RequestOutline.Run
    do throws(Failure.Cause) {
      run = try RequestOutline.Run(of: destination, now: context.time.date())
    } catch {
      throw UserError("--dry-run: \(SafeText.line(Failure(error).explanation))")
    }
    func show(
      _ members: @autoclosure () -> [String: JSONValue]?, _ lines: @autoclosure () -> [String]
    ) {
      if json, let members = members() {
        context.output.line(JSONLine.text(members))
      } else {
        for line in lines() { context.output.line(SafeText.line(line)) }
      }
    }
    show(run.open.map { Self.json($0, named: "open") }, run.firstLines)
    var addresses = sent
    var folders: Set<String> = []
    for group in Batch.groups(of: sound, to: target) {
      let (preview, faults) = RequestOutline.of(
        group.map { UploadJob(item: $0, destination: destination) }, now: context.time.date())
      for fault in faults {
        areAllShown = false
        for item in group where item.id == fault.item {
          complain(of: item, fault.cause, in: context)
        }
      }
      guard var preview else { continue }
      // A folder is made once.
      preview.folders.removeAll { !folders.insert($0.url ?? "").inserted }
      if preview.pieces == nil, let first = group.first, let address = preview.head.url,
        let cause = addresses.claim(
          address, for: first, of: target, hiding: destination.secrets)
      {
        areAllShown = false
        complain(of: first, cause, in: context)
        continue
      }
      show(Self.json(preview), preview.lines(target))
    }
    show(run.close.map { Self.json($0, named: "close") }, run.lastLines)
    return areAllShown
  }

  /// Shows the curl commands. Quoted for a shell, they are also safe for a terminal: see `ShellWord`.
  private func showCommands(
    for items: [UploadItem], to destination: SendPlan, in context: Context
  ) throws {
    do throws(InvalidInput) {
      let target = destination.target
      let run = try CurlCommand.run(of: destination, now: context.time.date())
      if let open = run.open { context.output.line(open.text) }
      var folders: Set<String> = []
      for group in Batch.groups(of: items, to: target) {
        let uploads = group.map { UploadJob(item: $0, destination: destination) }
        for folder in try CurlCommand.folders(for: uploads, now: context.time.date())
        where folders.insert(folder.text).inserted {
          context.output.line(folder.text)
        }
        for command in try CurlCommand.all(for: uploads, now: context.time.date()) {
          context.output.line(command.text)
        }
      }
      if let close = run.close { context.output.line(close.text) }
    } catch {
      throw UserError("--as-curl: \(SafeText.line(error.description))")
    }
  }

  private static func json(_ preview: RequestOutline) -> [String: JSONValue] {
    var members = json(preview.head)
    members["exists"] = preview.existence.map { .object(json($0)) }
    members["ticket"] = preview.ticket.map { .object(json($0)) }
    members["name_check"] = preview.nameCheck.map { .object(json($0)) }
    members["before_retry"] = preview.removal.map { .object(json($0)) }
    if !preview.folders.isEmpty {
      members["folders"] = .array(preview.folders.map { .object(json($0)) })
    }
    members["wait"] = preview.wait.map { .object(json($0)) }
    members["pieces"] = preview.pieces.map { pieces in
      var members: [String: JSONValue] = [
        "size": .integer(pieces.size), "count": .integer(Int64(pieces.count)),
        "parallel": .integer(Int64(pieces.parallel)),
      ]
      members["begin"] = pieces.begin.map { .object(json($0)) }
      members["ticket"] = pieces.ticket.map { .object(json($0)) }
      members["finish"] = pieces.finish.map { .object(json($0)) }
      return .object(members)
    }
    members["length"] = .integer(preview.length)
    members["parts"] = .array(
      preview.parts.map { part in
        var members: [String: JSONValue] = [
          "name": .string(part.name), "bytes": .integer(part.bytes),
        ]
        members["file_name"] = part.fileName.map { .string($0) }
        members["type"] = part.type.map { .string($0) }
        return .object(members)
      })
    return members
  }

  private static func json(
    _ head: RequestOutline.Head, named name: String? = nil
  ) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["method": .string(head.method)]
    members["request"] = name.map { .string($0) }
    members["url"] = head.url.map { .string($0) }
    members["body"] = head.body.map { .string($0) }
    let headers = head.headers.map { ($0.name, JSONValue.string($0.value)) }
    members["headers"] = .object(Dictionary(headers) { $1 })
    return members
  }
}
