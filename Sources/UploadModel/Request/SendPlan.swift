import Foundation
import ScalarText

/// How files are sent to a target: the target, and what follows from it for every file, worked out once.
///
/// All uploads to a target share one plan; the target is not copied to send a file. The plan knows no file, no run and
/// no ticket; what a run and a ticket add to a request is its `Occasion`.
package final class SendPlan: Sendable {
  package let target: Target
  /// The target's own address, which is needed for each request.
  package let url: URL
  /// Where its files go, and with whose credentials.
  package let route: Route
  package let needs: Needs
  /// Everything in the target that must be hidden.
  package let secrets: Secrets
  /// What must be hidden in addresses that are kept; empty if none are.
  package let addressSecrets: Secrets
  /// The digests of a file's content that the target's templates ask for.
  package let digests: Set<ContentDigests.Algorithm>
  /// Whether requests must state the SHA-256 of the part of a file that they carry.
  package let signsContent: Bool
  /// The address of all requests for files; nil if it is filled in for each.
  private let address: RequestHead.Text?
  /// How many files the server can be asked about in one request; 1 if it need not be asked before a file is sent.
  package let mostAsked: Int
  let headers: [HeaderLine]
  let publicHeaders: [HeaderLine]
  /// The header fields that only a request about a file has: those that are filled in for it, and those that set
  /// conditions (RFC 9110 §13.1).
  let headersOfFile: [String]
  let fields: [FormField]

  package init(_ target: Target) {
    (self.target, url) = (target, target.url)
    route = Route(to: target)
    needs = Needs(target)
    secrets = target.secrets
    addressSecrets = target.protectsAddresses ? secrets : Secrets([])
    (digests, signsContent) = (target.digests, target.signsContent)
    // With `prepare`, the question is about the command's output, which is made anew for each attempt.
    mostAsked = target.prepare != nil || target.checksNames ? 1 : target.exists?.most ?? 1
    let isFixed =
      target.address.map { $0.fixed != nil } ?? true
      && target.query.allSatisfy { $0.value.fixed != nil }
    address = isFixed ? target.addressStretches(with: .none) : nil
    headers = target.headers.compactMap(HeaderLine.init)
    publicHeaders = target.publicHeaders.compactMap(HeaderLine.init)
    fields = target.fields.map(FormField.init)
    headersOfFile = (target.headers + target.publicHeaders).filter { field in
      field.name.lowercased().hasPrefix(scalars: "if-")
        || field.value.placeholders.contains(where: \.belongsToFile)
    }.map(\.name)
  }

  /// The address of a request for a file, with secrets marked.
  package func address(with values: Template.Values) -> RequestHead.Text {
    address ?? target.addressStretches(with: values)
  }

  /// The digests of a file's content that are needed to send it, given its size.
  package func digests(forFileOf size: Int64) -> Set<ContentDigests.Algorithm> {
    // Uploads that can resume need no digest of the whole file: each piece's is computed before the piece is sent.
    signsContent && target.body == .binary && target.ticket == nil
      && !target.resume.holds(for: size)
      ? digests.union([.sha256]) : digests
  }

  /// What each upload needs besides its own request.
  package struct Needs: Sendable {
    /// Whether anything must be found out or made before the request.
    package let preparation: Bool
    /// Whether a command makes what is sent.
    package let command: Bool
    /// Whether requests follow that create records or confirm the delivery.
    package let records: Bool
    /// Whether there is anything to do before the first file or after the last one.
    package let run: Bool
    /// Whether files can resume.
    package let resuming: Bool
    /// Whether folders may have to be made.
    package let folders: Bool
    /// Whether the server is asked what has a file's name.
    package let names: Bool
    /// Whether names that are taken must be left alone, and the target's own header fields see to that.
    package let ownCondition: Bool
    /// Whether each file is sent in a single request of its own, which can be prepared ahead.
    package let oneRequestForEachFile: Bool

    fileprivate init(_ target: Target) {
      preparation =
        target.prepare != nil || target.exists != nil || target.ticket != nil
        || target.beforeRetry != nil || target.checksNames
        || !target.digests.isEmpty || target.signsContent
      command = target.prepare != nil
      records = target.server.create != nil || target.ticket?.confirmation != nil
      (run, resuming) = (target.run.isOn, target.resume.isOn)
      folders = target.folders != nil
      names = target.checksNames
      ownCondition = target.checksNames && target.hasOwnCondition
      // A signature would become stale while its request waits, and a folder may have to be made before it.
      oneRequestForEachFile =
        !preparation && !records && !run && target.sigV4 == nil && target.batch == nil && !resuming
        && !folders
    }
  }

  /// A field of the target's form.
  struct FormField: Sendable {
    let field: Target.Field
    /// The value; nil if it is filled in for each request.
    private let fixed: RequestHead.Text?

    init(_ field: Target.Field) { (self.field, fixed) = (field, field.value.fixed) }

    /// The part of the form. Throws if its value cannot be filled in.
    func part(with values: Template.Values) throws(Failure.Cause) -> RequestPlan.Part {
      if fixed == nil, let obstacle = field.value.obstacle(with: values) {
        throw .unsendable("the field \(field.name) cannot be filled in: \(obstacle)")
      }
      let value = fixed ?? field.value.stretches(with: values)
      return RequestPlan.Part(name: field.name, value: .text(value, type: field.type))
    }
  }
}

/// Plans for targets that say the same are equal, so that their files may share a request.
extension SendPlan: Hashable {
  package static func == (one: SendPlan, other: SendPlan) -> Bool {
    one === other || one.target == other.target
  }

  package func hash(into hasher: inout Hasher) { target.hash(into: &hasher) }
}
