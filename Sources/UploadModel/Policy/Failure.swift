import Foundation
import ScalarText

/// Why a file did not arrive, and what can be done about it.
///
/// The texts are in `Failure+Words.swift`. The retry policy and the exit status depend on the decisions here.
package struct Failure: Error, Hashable, Sendable, Codable {
  package var cause: Cause
  /// The HTTP status code, if there was a reply.
  package var status: Int?
  /// What the server said, if anything.
  package var reply: Reply
  /// How many attempts were made; 0 if no attempt could be made.
  package var attempts: Int
  /// The delay that the server asked for, in seconds (RFC 9110 §10.2.3).
  package var retryAfter: Double?
  /// Which of the upload's requests failed; nil if it has only one.
  package var step: Step?
  /// How far the attempt had come, if the file goes in pieces.
  package var pieces: PieceCount?
  /// What is known about the file on the server.
  package var arrival: Arrival
  /// True if the file that the server refused is empty, which may be why.
  package var isOfEmptyFile: Bool?
  /// True if an earlier attempt broke off, so that what it left on the server may be in the way.
  package var mayMeetRemnant: Bool?
  /// True if the reply itself, or the target's rules, say that a later attempt may succeed; nil if only the cause and
  /// the status tell.
  package var isTemporary: Bool?

  package init(
    _ cause: Cause, status: Int? = nil, reply: Reply = Reply(), attempts: Int = 0,
    retryAfter: Double? = nil
  ) {
    (self.cause, self.status, self.reply) = (cause, status, reply)
    (self.attempts, self.retryAfter) = (attempts, retryAfter)
    arrival = cause.arrival
  }

  /// What is known, after a failure, about the file on the server. Whether it may be sent again unasked depends on
  /// this value alone.
  package enum Arrival: String, Hashable, Sendable, Codable {
    /// The server has the file; only what goes with it failed.
    case arrived
    /// The server does not have the file.
    case notArrived = "not-arrived"
    /// Only a look at the server can tell.
    case unclear
  }

  /// Whether the server has the file, or may have it: sending it again could store it twice.
  package var mayHaveArrived: Bool { arrival != .notArrived }

  /// One of the requests of an upload.
  package enum Step: Hashable, Sendable, Codable {
    /// The request that asks whether the server has the file already.
    case existence
    /// The request that asks for permission to upload, before the file is sent.
    case ticket
    /// The request before the first file of a run.
    case open
    /// The request that begins an upload in pieces.
    case begin
    /// The request that makes a folder on the way to the file.
    case folder
    /// The request for permission to send a piece.
    case pieceTicket
    /// The request with a piece, by its place from 1.
    case piece(Int, of: Int)
    /// The request that joins the pieces into one file.
    case finish
    /// The request that asks how much the server has.
    case status
    /// The request that asks whether the server has finished with a file that it has accepted.
    case wait
    /// The request that confirms the upload, if the ticket asks for it.
    case confirmation
    /// The request that removes what an earlier attempt may have left.
    case remnant
  }

  /// Every way in which an upload is known to fail.
  package enum Cause: Error, Hashable, Sendable, Codable {
    // This machine.

    /// There is no file at the path.
    case missing
    /// The file exists but cannot be read; the text is the system's reason.
    case unreadable(String)
    /// The machine has run out of something that will be released again, such as file descriptors. The file is not at
    /// fault.
    case shortage(String)
    /// The path names something that is not a regular file: "a folder", "a FIFO", …
    case notAFile(kind: String)
    /// The file is not the one that was queued, or it changed while it was being sent.
    case changed(FileChange)
    /// The file is larger than the target's limit, in bytes.
    case tooLarge(limit: Int64)
    /// The file is empty, and the target accepts no empty files.
    case empty
    /// The target takes only other media types.
    case typeNotAllowed(String, allowed: [String])
    /// The request could not be made from the configuration.
    case unsendable(String)
    /// One of two files would overwrite the other.
    case clash(Clash)
    /// The server has another file under the name.
    case taken(TakenName)

    // On the way to the server. The texts come from the network library.

    /// The host's name has no address.
    case nameNotResolved(host: String)
    /// Nothing listens at the address, or something along the way refuses connections.
    case connectionRefused(String)
    /// The host cannot be reached. `Absence` says what is missing, if the system's error code tells.
    case unreachable(String, Absence? = nil)
    /// The proxy for the server cannot be reached, or does not open a tunnel.
    case proxyUnreachable(String)
    /// The connection broke before everything was sent.
    case connectionLost(String)
    /// No byte moved for this many seconds.
    case stalled(seconds: Double)
    /// The upload was not finished within the target's deadline, in seconds.
    case outOfTime(seconds: Double)
    /// No secure connection could be made, or the server is not authentic.
    case insecure(String)
    /// Another failure on the way.
    case network(String)

    // The server.

    /// The server answered with a status that does not mean success.
    case refused
    /// The server redirected the request, and following the redirect is not allowed or of no use.
    case redirected(to: String?, Redirect)
    /// The server leads from https to this address, which is not encrypted.
    case unencrypted(String)
    /// The peer does not speak HTTP.
    case notHTTP(String)
    /// The status means success, but the target's own rule says that the upload failed.
    case rejected(String)
    /// The status means success, but the answer cannot be used; the text says what the answer lacks.
    case unusable(String)
    /// The content that the server stored is not the file's; the text says how it differs.
    case differs(String)
    /// The server has the file, but the record that goes with it could not be created; the text says why.
    case notRecorded(String)
    /// The server breaks the protocol for resuming uploads.
    case unresumable(ResumeFault)

    /// A folder on the way to the file is missing and could not be made. The texts are its path and the reason.
    case noFolder(String, String)

    /// There are no valid credentials: the command gave no token or, if there is a status, a new token was
    /// refused as well. The text says which.
    case denied(String)
    /// The server asks for credentials, and the target has none.
    case anonymous

    /// The server's nonce for digest authentication had expired when the request had arrived.
    case nonceExpired

    /// Nothing of the file was sent, because of what became of others; the text says what. There was no attempt and no
    /// reply.
    case notTried(String)

    // No fault, or none that can be located.

    /// The user stopped the upload.
    case cancelled
    /// Everything was sent but no answer came, so the file may have arrived.
    case outcomeUnknown(String)
  }

  /// What is missing when a host cannot be reached.
  package enum Absence: String, Hashable, Sendable, Codable {
    /// A route to the host.
    case route
    case network
    case answer
  }

  /// How a file differs from what was queued.
  package enum FileChange: String, Hashable, Sendable, Codable {
    case vanished
    case shrank
    case grew
    case replaced
    /// It has the same size, but has been written to since it was queued.
    case modified
  }

  /// Why a redirect was not followed.
  package enum Redirect: String, Hashable, Sendable, Codable {
    /// A 301, 302 or 303 turns an upload into a request without the file (RFC 9110 §15.4).
    case losesBody
    /// The redirect leads to an origin that the target does not list.
    case otherOrigin
    /// There were more redirects than are followed.
    case tooMany
    /// The `Location` is missing, although such a reply should have one (RFC 9110 §15.4.8).
    case noLocation
    /// The `Location` is not a URL that a file can be sent to.
    case badLocation
    /// S3 has the bucket at another endpoint, which its reply names in other ways than by a `Location`.
    case otherRegion
  }

  /// Whether sending the same bytes again may succeed without user action.
  ///
  /// The retry policy decides whether another attempt is *made*. A file with an unknown outcome is sent again only if
  /// the target says that a second copy does no harm.
  package var isTransient: Bool {
    if isTemporary == true { return arrival == .notArrived }
    guard cause == .refused else { return cause.traits.contains(.transient) }
    return arrival == .notArrived && status.map { StatusMeaning($0).mayPass } == true
  }

  /// Whether the server, or a gateway in front of it, takes nothing for now, which has nothing to do with the file.
  var isOfBusyServer: Bool {
    guard cause == .refused, isTransient, let status else { return false }
    if status == 429 || status == 503 { return true }
    return switch StatusMeaning(status) {
    case .serverLost, .serverNotReached: true
    case .busy, .serverFault, .refusal: false
    }
  }

  /// Whether the file would overwrite another one, so that a retry is refused, too.
  package var isClash: Bool { if case .clash = cause { true } else { false } }

  /// What has the name under which the file was to be sent, if that is why it failed.
  package var taken: TakenName? { if case .taken(let taken) = cause { taken } else { nil } }

  /// Whether the server's certificate is its own. Of all certificates that are not trusted, only such a one is likely
  /// to be pinned on purpose.
  package var isSelfSigned: Bool {
    if case .insecure(let why) = cause { why.contains(scalars: "self-signed") } else { false }
  }

  /// Whether nothing of the file was sent, because of what became of others.
  package var isNotTried: Bool { if case .notTried = cause { true } else { false } }

  /// Whether the user has to change something (the file, the target, a password) before the
  /// file can be sent.
  package var needsPerson: Bool { !isTransient && cause != .cancelled }

  /// Whether the failure may concern only one of several files, because of its size, its type or its name. A status
  /// about the address, the credentials or the server's own state concerns all of them.
  package var mayConcernOneFile: Bool {
    cause == .refused
      ? status.map(Self.statusesOfOneFile.contains) ?? false : cause.traits.contains(.ofOneFile)
  }

  /// Whether the target has no credentials that the server accepts.
  package var isOfCredentials: Bool { cause.isOfCredentials || status == 401 }

  /// Whether other credentials are all that the file needs. One that may have arrived also needs a person.
  package var awaitsCredentials: Bool { isOfCredentials && !mayHaveArrived }

  private static let statusesOfOneFile: Set<Int> = [
    400, 406, 409, 412, 413, 415, 416, 418, 422, 423, 424, 500, 507,
  ]
}

extension Failure.Cause {
  /// The properties that depend on the cause alone.
  fileprivate struct Traits: OptionSet {
    let rawValue: Int
    static let local = Self(rawValue: 1)
    static let unreachable = Self(rawValue: 2)
    static let transient = Self(rawValue: 4)
    static let ofOneFile = Self(rawValue: 8)
  }

  /// The only table of the properties that depend on the cause alone. A refusal is also judged by its status.
  fileprivate var traits: Traits {
    switch self {
    case .missing, .unreadable, .notAFile, .changed, .tooLarge, .empty, .typeNotAllowed,
      .unsendable, .clash, .cancelled:
      .local
    case .shortage: [.local, .transient]
    case .nameNotResolved, .connectionRefused, .unreachable, .proxyUnreachable:
      [.unreachable, .transient]
    case .connectionLost, .stalled, .network, .nonceExpired: .transient
    case .rejected, .taken: .ofOneFile
    case .outOfTime, .insecure, .refused, .redirected, .unencrypted, .notHTTP, .unusable, .differs,
      .notRecorded, .noFolder,
      .unresumable, .denied, .anonymous, .notTried, .outcomeUnknown:
      []
    }
  }

  /// The refusal of an address that would be sent to in clear.
  package static func unencrypted(at url: URL) -> Self {
    .unencrypted(Verdict.shown(url.absoluteString) ?? "")
  }

  /// What the cause alone says about the file on the server.
  fileprivate var arrival: Failure.Arrival {
    switch self {
    case .notRecorded: .arrived
    case .outcomeUnknown: .unclear
    default: .notArrived
    }
  }

  /// Whether the fault lies with the file or this machine.
  package var isLocal: Bool { traits.contains(.local) }

  /// Whether it is what a reply says, so that the rest of the reply may say whether it will pass.
  var isSaidByReply: Bool {
    switch self {
    case .refused, .rejected, .unusable: true
    default: false
    }
  }

  /// Whether the target has no credentials that the server accepts.
  package var isOfCredentials: Bool {
    switch self {
    case .denied, .anonymous: true
    default: false
    }
  }

  /// Whether no connection to the server could be made, so that the next file would fare no better.
  package var isUnreachable: Bool { traits.contains(.unreachable) }

  /// The cause with `change` applied to the texts that may come from a server.
  func mapText(_ change: (String) -> String) -> Failure.Cause {
    switch self {
    case .missing, .notAFile, .changed, .tooLarge, .empty, .typeNotAllowed, .stalled, .outOfTime,
      .refused, .unresumable, .anonymous, .nonceExpired, .cancelled:
      self
    case .unreadable(let why): .unreadable(change(why))
    case .shortage(let why): .shortage(change(why))
    case .clash(.address(let address)): .clash(.address(change(address)))
    case .clash(.name(let name)): .clash(.name(change(name)))
    case .taken(let taken): .taken(taken.mapText(change))
    case .unsendable(let why): .unsendable(change(why))
    case .nameNotResolved(let host): .nameNotResolved(host: change(host))
    case .connectionRefused(let why): .connectionRefused(change(why))
    case .unreachable(let why, let absence): .unreachable(change(why), absence)
    case .proxyUnreachable(let why): .proxyUnreachable(change(why))
    case .connectionLost(let why): .connectionLost(change(why))
    case .insecure(let why): .insecure(change(why))
    case .network(let why): .network(change(why))
    case .redirected(let place, let why): .redirected(to: place.map(change), why)
    case .unencrypted(let place): .unencrypted(change(place))
    case .notHTTP(let why): .notHTTP(change(why))
    case .rejected(let why): .rejected(change(why))
    case .unusable(let why): .unusable(change(why))
    case .differs(let why): .differs(change(why))
    case .notRecorded(let why): .notRecorded(change(why))
    case .noFolder(let folder, let why): .noFolder(change(folder), change(why))
    case .denied(let why): .denied(change(why))
    case .notTried(let why): .notTried(change(why))
    case .outcomeUnknown(let why): .outcomeUnknown(change(why))
    }
  }
}
