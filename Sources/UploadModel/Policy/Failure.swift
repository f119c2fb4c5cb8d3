/// Why a file did not arrive, and what can be done about it.
///
/// The texts are in `Failure+Words.swift`. The retry policy and the exit status depend on the decisions here.
public struct Failure: Error, Hashable, Sendable, Codable {
  /// What went wrong.
  public var cause: Cause
  /// The HTTP status code, where there was a reply.
  public var status: Int?
  /// What the server said, where it said anything.
  public var reply: Reply
  /// How many attempts were made, from 1; 0 where none could be.
  public var attempts: Int
  /// The delay that the server asked for, in seconds (RFC 9110 §10.2.3).
  public var retryAfter: Double?
  /// Whether it was the upload's ticket that was asked for; nil where it was not, as in what was written before.
  var isOfTicket: Bool?
  /// Whether the server had been sent all of it, and its refusal does not say that it stored nothing; nil where it
  /// does, as in what was written before.
  var mayBeStored: Bool?

  /// A failure with this cause.
  public init(
    _ cause: Cause, status: Int? = nil, reply: Reply = Reply(), attempts: Int = 0,
    retryAfter: Double? = nil
  ) {
    self.cause = cause
    self.status = status
    self.reply = reply
    self.attempts = attempts
    self.retryAfter = retryAfter
  }

  /// Every way in which an upload is known to fail.
  public enum Cause: Error, Hashable, Sendable, Codable {
    // This machine.

    /// No file lies at the path.
    case missing
    /// The file is there and cannot be read; the text is the system's reason.
    case unreadable(String)
    /// The machine has run out of something that is released again, such as open files. It is no file's
    /// fault.
    case shortage(String)
    /// The path names something that is not a regular file: "a folder", "a FIFO", …
    case notAFile(kind: String)
    /// The file is not the one that was queued, or changed while it was sent.
    case changed(FileChange)
    /// The file is larger than the target takes, in bytes.
    case tooLarge(limit: Int64)
    /// The file has no content, and the target takes none without.
    case empty
    /// The target takes other media types only.
    case typeNotAllowed(String, allowed: [String])
    /// The request could not be made from what was configured.
    case unsendable(String)

    // On the way to the server. The texts are those of the network library.

    /// The host's name has no address.
    case nameNotResolved(host: String)
    /// Nothing listens at the address, or something in between turns connections away.
    case connectionRefused(String)
    /// There is no way to the host; what is missing, where the system's code tells.
    case unreachable(String, Absence? = nil)
    /// The proxy through which the server is reached cannot be reached itself, or makes no tunnel.
    case proxyUnreachable(String)
    /// The connection broke before everything was sent.
    case connectionLost(String)
    /// No byte moved for this many seconds.
    case stalled(seconds: Double)
    /// It was not finished within the target's deadline, in seconds.
    case outOfTime(seconds: Double)
    /// No secure connection could be made, or the server is not authentic.
    case insecure(String)
    /// Another failure on the way.
    case network(String)

    // The server.

    /// The server answered with a status that is no success.
    case refused
    /// The server redirected the request, and following is not allowed or useless.
    case redirected(to: String?, Redirect)
    /// What answered does not speak HTTP.
    case notHTTP(String)
    /// The status was good, and the target's own rule says that the upload failed.
    case rejected(String)
    /// The status was good, and the answer says nothing that can be used; the text is what it lacks.
    case unusable(String)
    /// The server has the file, and the record that goes with it could not be made; the text is why.
    case notRecorded(String)
    /// The server does not keep to the protocol by which uploads are resumed.
    case unresumable(ResumeFault)

    /// There are no valid credentials: the command gave no token or, if there is a status, a new token was
    /// refused as well. The text says which.
    case denied(String)

    // Neither.

    /// The person stopped it.
    case cancelled
    /// Everything was sent and no answer came: the file may have arrived.
    case outcomeUnknown(String)
  }

  /// What is missing where a host cannot be reached.
  public enum Absence: String, Hashable, Sendable, Codable {
    /// A way to the host.
    case route
    /// The network.
    case network
    /// An answer.
    case answer
  }

  /// How a file differs from what was queued.
  public enum FileChange: String, Hashable, Sendable, Codable {
    /// It is gone.
    case vanished
    /// It has fewer bytes than when it was queued.
    case shrank
    /// It has more bytes than when it was queued.
    case grew
    /// Another file lies at the path now.
    case replaced
    /// Same size, written to since.
    case modified
  }

  /// Why a redirect was not followed.
  public enum Redirect: String, Hashable, Sendable, Codable {
    /// 301, 302 and 303 turn an upload into a request without the file (RFC 9110 §15.4).
    case losesBody
    /// It leads to an origin that the target does not list.
    case otherOrigin
    /// More redirects than are followed.
    case tooMany
    /// The `Location` is missing, which such a reply has to have (RFC 9110 §15.4.8).
    case noLocation
    /// The `Location` is no URL that can be sent to.
    case badLocation
  }

  /// Whether sending the same bytes again, without anyone doing anything, may succeed.
  ///
  /// The retry policy decides whether it is *tried*. A file with an unknown outcome is sent again only if the
  /// target says that a second copy does no harm.
  var isTransient: Bool {
    guard cause == .refused else { return cause.traits.contains(.transient) }
    return mayBeStored != true && status.map(Self.transientStatuses.contains) == true
  }

  /// Whether the server has the file, or may have it: sending it again could store it twice.
  public var mayHaveArrived: Bool { cause.traits.contains(.mayHaveArrived) }
  /// The codes of the causes for which that holds, for readers of what keeps only codes.
  public static let codesOfDoubt = ["outcome-unknown", "no-record"]

  /// Statuses after which a later attempt may succeed: time-out, too early, too many requests, and transient
  /// server errors (RFC 9110 §15, RFC 8470, RFC 6585).
  static let transientStatuses: Set<Int> = [408, 423, 425, 429, 500, 502, 503, 504]
  /// Statuses of which a server that has been sent everything does not say with them that it stored nothing: it failed
  /// somewhere on its way (RFC 9110 §15.6.1).
  static let serverErrors: Set<Int> = gatewayErrors.union([500])
  /// Statuses with which a gateway tells that it knows nothing of the server behind it (RFC 9110 §15.6.3, §15.6.5).
  static let gatewayErrors: Set<Int> = [502, 504]

  /// Whether the person has to change something (the file, the target, a password) before the
  /// file can go.
  public var needsPerson: Bool { !isTransient && cause != .cancelled }

  /// Whether the server may have meant one file of several: its size, its type, its name. A status
  /// that speaks of the address, the credentials or the server's own state is meant for all.
  var mayConcernOneFile: Bool {
    cause == .refused
      ? status.map(Self.statusesOfOneFile.contains) ?? false : cause.traits.contains(.ofOneFile)
  }

  private static let statusesOfOneFile: Set<Int> = [
    400, 406, 409, 412, 413, 415, 416, 418, 422, 423, 424, 500, 507,
  ]
}

extension Failure.Cause {
  /// What is decided by a cause alone.
  fileprivate struct Traits: OptionSet {
    let rawValue: Int
    static let local = Self(rawValue: 1)
    static let unreachable = Self(rawValue: 2)
    static let transient = Self(rawValue: 4)
    static let mayHaveArrived = Self(rawValue: 8)
    static let ofOneFile = Self(rawValue: 16)
  }

  /// The one table of all that is decided by a cause alone; a refusal is judged by its status as well.
  fileprivate var traits: Traits {
    switch self {
    case .missing, .unreadable, .notAFile, .changed, .tooLarge, .empty, .typeNotAllowed,
      .unsendable, .cancelled:
      .local
    case .shortage: [.local, .transient]
    case .nameNotResolved, .connectionRefused, .unreachable, .proxyUnreachable:
      [.unreachable, .transient]
    case .connectionLost, .stalled, .network: .transient
    case .notRecorded, .outcomeUnknown: .mayHaveArrived
    case .rejected: .ofOneFile
    case .outOfTime, .insecure, .refused, .redirected, .notHTTP, .unusable, .unresumable,
      .denied:
      []
    }
  }

  /// Whether the fault is the file's or this machine's.
  public var isLocal: Bool { traits.contains(.local) }

  /// Whether no connection to the server was made: the next file for it will fare no better.
  public var isUnreachable: Bool { traits.contains(.unreachable) }

  /// The cause with its texts changed, where they may come from a server.
  func mapText(_ change: (String) -> String) -> Failure.Cause {
    switch self {
    case .missing, .notAFile, .changed, .tooLarge, .empty, .typeNotAllowed, .stalled, .outOfTime,
      .refused, .unresumable, .cancelled:
      self
    case .unreadable(let why): .unreadable(change(why))
    case .shortage(let why): .shortage(change(why))
    case .unsendable(let why): .unsendable(change(why))
    case .nameNotResolved(let host): .nameNotResolved(host: change(host))
    case .connectionRefused(let why): .connectionRefused(change(why))
    case .unreachable(let why, let absence): .unreachable(change(why), absence)
    case .proxyUnreachable(let why): .proxyUnreachable(change(why))
    case .connectionLost(let why): .connectionLost(change(why))
    case .insecure(let why): .insecure(change(why))
    case .network(let why): .network(change(why))
    case .redirected(let place, let why): .redirected(to: place.map(change), why)
    case .notHTTP(let why): .notHTTP(change(why))
    case .rejected(let why): .rejected(change(why))
    case .unusable(let why): .unusable(change(why))
    case .notRecorded(let why): .notRecorded(change(why))
    case .denied(let why): .denied(change(why))
    case .outcomeUnknown(let why): .outcomeUnknown(change(why))
    }
  }
}
