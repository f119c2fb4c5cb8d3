import Foundation
import ScalarText

extension Failure {
  /// A word for scripts that does not change from release to release.
  package var code: String { name.code }
  /// One line for a row: what happened, in a few words.
  package var headline: String { name.headline }

  private var name: (code: String, headline: String) {
    switch cause {
    case .missing: ("missing", "file is missing")
    case .unreadable: ("unreadable", "cannot be read")
    case .shortage: ("shortage", "out of file handles or memory")
    case .notAFile(let kind): ("not-a-file", "is \(kind)")
    case .changed(let change):
      (change == .vanished ? "missing" : "changed", change.words.headline)
    case .tooLarge: ("too-large", "too large for the target")
    case .empty: ("empty", "is empty")
    case .typeNotAllowed: ("type-not-allowed", "type not accepted")
    case .unsendable: ("unsendable", "cannot be sent")
    case .clash: ("would-overwrite", "would overwrite another file")
    case .taken: ("name-taken", "name is taken")
    case .nameNotResolved: ("name-not-resolved", "name not resolved")
    case .connectionRefused: ("connection-refused", "connection refused")
    case .unreachable: ("unreachable", "host unreachable")
    case .proxyUnreachable: ("proxy-unreachable", "proxy unreachable")
    case .connectionLost: ("connection-lost", "connection lost")
    case .stalled(let seconds): ("stalled", "stalled for \(HumanReadable.seconds(seconds))")
    case .outOfTime(let seconds):
      ("out-of-time", "not finished in \(HumanReadable.seconds(seconds))")
    case .insecure: ("insecure", "not secure")
    case .network: ("network", "network error")
    case .refused: (status.map { "http-\($0)" } ?? "refused", Self.statusLine(status))
    case .redirected:
      (
        "redirected",
        status.map { "\(Self.statusLine($0)), not followed" } ?? "redirect not followed"
      )
    case .unencrypted: ("unencrypted", "address not encrypted")
    case .notHTTP: ("not-http", "not an HTTP server")
    case .rejected: ("rejected", "rejected by the server")
    case .unusable: ("unusable-answer", "answer cannot be used")
    case .differs: ("content-differs", "stored content differs")
    case .notRecorded: ("no-record", "arrived, not recorded")
    case .noFolder(let folder, _):
      ("no-folder", "folder \"\(SafeText.line(folder))\" cannot be made")
    case .unresumable(let fault): (fault.code, fault.headline)
    case .denied:
      status.map { ("http-\($0)", Self.statusLine($0)) } ?? ("no-credentials", "no credentials")
    case .anonymous: (status.map { "http-\($0)" } ?? "refused", Self.statusLine(status))
    case .nonceExpired: ("nonce-expired", "nonce expired")
    case .notTried: ("not-tried", "not tried")
    case .cancelled: ("cancelled", "cancelled")
    case .outcomeUnknown: ("outcome-unknown", "may have arrived")
    }
  }

  /// The headline of a failure of which only the code is known.
  package static func headline(ofCode code: String) -> String {
    headlines[code] ?? code.replacing(scalars: "-", with: " ")
  }

  /// The headlines that are the same for all failures with a code.
  private static let headlines: [String: String] = {
    let causes: [Cause] = [
      .missing, .unreadable(""), .shortage(""), .tooLarge(limit: 0), .empty,
      .typeNotAllowed("", allowed: []), .unsendable(""), .clash(.name("")), .taken(TakenName("")),
      .nameNotResolved(host: ""), .connectionRefused(""), .unreachable(""), .proxyUnreachable(""),
      .connectionLost(""), .insecure(""), .network(""), .unencrypted(""), .notHTTP(""),
      .rejected(""), .unusable(""), .differs(""), .notRecorded(""), .nonceExpired, .notTried(""),
      .cancelled, .outcomeUnknown(""),
    ]
    return Dictionary(causes.map { (Failure($0).code, Failure($0).headline) }) { first, _ in first }
  }()

  /// Why a server cannot be reached, in a few words.
  package var absence: String {
    switch cause {
    case .connectionRefused: "refused"
    case .proxyUnreachable: "no proxy"
    case .unreachable(_, .route): "no route"
    case .unreachable(_, .network): "no network"
    case .unreachable(_, .answer): "no answer"
    default: headline
    }
  }

  /// The explanation for an upload that starts over on another try.
  package var explanation: String { explanation(goesOn: false) }

  /// A paragraph: what was being done, why it failed, whether another try helps, what to do; `goesOn` says whether
  /// another try resumes the upload (``UploadItem/canGoOn``).
  package func explanation(goesOn: Bool) -> String { "\(story)\(rest(goesOn: goesOn))" }

  /// The explanation without what to do, for a file that is tried again by itself.
  package var account: String { "\(story)\(circumstances)" }

  /// What the explanation says beyond the headline, for a line below it.
  package var explanationBelowHeadline: String {
    guard case .refused = cause, step == nil else { return explanation }
    return String(rest(goesOn: false).dropFirst())
  }

  /// The explanation without its story, starting with the space after it.
  private func rest(goesOn: Bool) -> String { "\(circumstances) \(advice(goesOn: goesOn))" }

  private var circumstances: String {
    let tried = attempts > 1 && !isStalled ? " It was tried \(attempts) times." : ""
    let wish = retryAfter.map { " The server asks to wait \(HumanReadable.seconds($0))." } ?? ""
    let empty = isOfEmptyFile == true ? " The file is empty." : ""
    return "\(empty)\(place)\(tried)\(wish)"
  }

  /// Whether the story says how many attempts there were.
  private var isStalled: Bool { if case .stalled = cause { true } else { false } }

  /// Which request failed, if the story does not name it.
  private var place: String {
    switch cause {
    case .refused, .rejected, .unusable, .denied, .anonymous, .nonceExpired, .notRecorded,
      .noFolder, .notTried:
      ""
    default: step.map { " This happened at \($0.words)." } ?? ""
    }
  }

  /// Why other files do not start because of this failure, in a few words.
  package var obstacle: String {
    switch cause {
    case .anonymous: "the server asks for credentials, and the target has none"
    case .denied(let why) where status == nil: "there are no credentials (\(Self.inside(why)))"
    case .refused where status == 401 && step == nil: "the server refused the credentials"
    case .denied: "the server refused the credentials, \(reason)"
    case _ where cause.isUnreachable: "the server could not be reached (\(headline))"
    case _ where isTransient && retryAfter != nil:
      "the server asks to wait \(HumanReadable.seconds(retryAfter ?? 0)) (\(headline))"
    default: step.map { "\($0.words) failed (\(headline))" } ?? headline
    }
  }

  /// Why it failed: the reason that came with the cause or, if there is none, the headline.
  package var reason: String {
    switch cause {
    case .unusable(let why), .connectionLost(let why), .network(let why), .insecure(let why),
      .denied(let why), .notTried(let why), .outcomeUnknown(let why):
      why
    default: headline
    }
  }

  /// The headline or, for a redirect to what may be the result, where that leads.
  package var headlineOrLead: String {
    guard status == 302, case .outcomeUnknown(let why) = cause else { return headline }
    return "\(Self.statusLine(status)), and \(why)"
  }

  /// Why the outcome is in doubt: "no reply within 5 s", "302, it points to /login, which may be the result".
  package var doubt: String {
    (status.map { "\($0), " } ?? "") + Self.inside(SecretQuery.hidden(in: reason))
  }

  /// The request that failed, in words.
  private var what: String { step?.words ?? "it" }

  private var asked: String { step.map { "\($0.words) with " } ?? "" }

  private var story: String {
    switch cause {
    case .missing: "There is no file at this path."
    case .unreadable(let why): "The file cannot be read: \(Self.inside(why))."
    case .shortage(let why):
      "This machine has run out of a resource: \(Self.inside(why)). The upload is tried again until there is enough."
    case .notAFile(let kind): "This path is \(kind); only regular files can be uploaded."
    case .changed(let change):
      // Without an attempt, there was no upload to cut off.
      change.words.story
        + (change == .vanished || attempts == 0
          ? "" : " The upload was cut off, so nothing wrong was stored.")
    case .empty: "The file has no content, and the target accepts no empty files."
    case .tooLarge(let limit): "The target accepts files of at most \(HumanReadable.bytes(limit))."
    case .typeNotAllowed(let type, let allowed):
      "The target does not accept \(type); it accepts \(allowed.joined(separator: ", "))."
    case .unsendable(let why): "No request could be made for this file: \(Self.inside(why))."
    case .clash(.address(let address)):
      "Another file was sent to the same address and would be overwritten: \(Self.inside(address))."
    case .clash(.name(let name)):
      "Another file in the same request is also called \"\(name)\", and the server may keep only one of them."
    case .taken(let taken):
      "The server has a file called \"\(taken.name)\" already\(taken.words.isEmpty ? "" : " (\(taken.words))")."
    case .nameNotResolved(let host): "No address was found for the name \(host)."
    case .connectionRefused(let why): "The server did not accept a connection: \(Self.inside(why))."
    case .unreachable(let why, _): "The server cannot be reached: \(Self.inside(why))."
    case .proxyUnreachable(let why):
      "The proxy on the way to the server could not be used: \(Self.inside(why))."
    case .connectionLost(let why):
      "The connection broke\(step == nil ? " before everything was sent" : ""): \(Self.inside(why))."
    case .stalled(let seconds) where attempts > 1:
      "In the last of \(attempts) attempts, no byte moved for \(HumanReadable.seconds(seconds)). Each attempt may "
        + "wait that long."
    case .stalled(let seconds): "No byte moved for \(HumanReadable.seconds(seconds))."
    case .outOfTime(let seconds):
      "The upload was not finished within \(HumanReadable.seconds(seconds)), the target's deadline."
    case .insecure(let why): "No secure connection could be made: \(Self.inside(why))."
    case .network(let why): "The upload was interrupted: \(Self.inside(why))."
    case .refused where step == .wait:
      "The server had accepted the file, and then reported: \(Self.statusLine(status))."
    case .refused where status.map { 200..<300 ~= $0 } == true:
      "The server answered \(asked)\(Self.statusLine(status)), which does not count as a success (ok)."
    // Whether it refused the file is just what is not known.
    case .refused where arrival == .unclear:
      "The server answered \(asked)\(Self.statusLine(status))."
    case .refused where status == 407:
      "The proxy on the way to the server refused \(what): \(Self.statusLine(status))."
    case .refused: "The server refused \(what)\(status.map { ": \(Self.statusLine($0))" } ?? "")."
    case .redirected(let target, let why):
      "The server answered \(status.map { Self.statusLine($0) } ?? "with a redirect")"
        + "\(target.map { " and pointed to \($0)" } ?? ""). \(why.story)"
    case .unencrypted(let place):
      "The server leads from https to \(place), which is not encrypted, so nothing was sent there."
    case .notHTTP(let why):
      why.removingPrefix(scalars: "the server ").map { "The server \(Self.inside($0))." }
        ?? "The service that answered does not speak HTTP: \(Self.inside(why))."
    case .rejected(let why) where step == .wait:
      "The server had accepted the file, and then reported a failure: \(Self.inside(why))."
    case .rejected(let why):
      "The server answered \(asked)\(status ?? 200) but reported a failure: \(Self.inside(why))."
    case .unusable(let why):
      "The server answered \(asked)\(Self.statusLine(status ?? 200)), but its answer cannot be used: "
        + "\(Self.inside(why))."
    case .differs(let why):
      "The server took the file, but stored different content: \(Self.inside(why))."
    case .notRecorded(let why):
      step == .confirmation
        ? "The server has the file, but \(what) failed: \(Self.inside(why))."
        : "The server has the file. The request that goes with it (server.create) failed: \(Self.inside(why))."
    case .noFolder(let folder, let why):
      "The folder \"\(SafeText.line(folder))\" is missing on the server and cannot be made: \(Self.inside(why))."
    case .unresumable(let fault): fault.story
    case .denied(let why):
      status.map { "The server refused \(what): \(Self.statusLine($0)), \(Self.inside(why))." }
        ?? "There are no credentials for the target: \(Self.inside(why))."
    case .anonymous:
      "The server asks for credentials\(step.map { " at \($0.words)" } ?? ""), and the target has none."
    case .nonceExpired:
      "The server asked for the credentials anew\(step.map { " at \($0.words)" } ?? ""), since its nonce for digest "
        + "authentication had expired in the meantime."
    case .notTried(let why): "Nothing of this file was sent: \(Self.inside(why))."
    case .cancelled: "The upload was stopped before it was complete."
    case .outcomeUnknown(let why) where status != nil:
      "The server answered \(Self.statusLine(status)), and it is unclear whether it stored the file: "
        + "\(Self.inside(why))."
    case .outcomeUnknown(let why):
      "\(Self.unclear.start)\(Self.inside(why))\(Self.unclear.end)"
    }
  }

  /// What surrounds the reason where no complete answer came.
  private static let unclear = (
    start: "Every byte was sent, but no complete answer came: ", end: ". The file may have arrived."
  )

  /// The reason why no complete answer came, from the explanation of a failure; nil if it is about something else.
  package static func doubt(in explanation: String) -> String? {
    guard let start = explanation.range(scalars: unclear.start)?.upperBound,
      case let rest = explanation[start...], let end = rest.range(scalars: unclear.end)?.lowerBound
    else { return nil }
    return String(rest[..<end])
  }

  /// The mark before a file that failed: a question mark if only a look at the server can tell whether the file
  /// arrived.
  package var sign: String { isOutcomeUnknown ? "?" : "✗" }

  /// A reason for use inside one of our sentences: its first line, without its own full stop.
  private static func inside(_ why: String) -> String {
    let words = why.prefix { !$0.isNewline }
    let end = words.lastIndex { $0 != "." && !$0.isWhitespace }
    return end.map { String(words[...$0]) } ?? "no reason was given"
  }

  private func advice(goesOn: Bool) -> String {
    switch cause {
    case .shortage: "Close other programs, or raise the limit (ulimit -n)."
    case .missing, .unreadable: "Correct the path or its permissions, then retry."
    case .notAFile("a folder"): "Add the files inside it (-r does), or pack it first."
    case .notAFile("a broken link"): "Correct where the link leads, then retry."
    case .notAFile: "Copy its content to a regular file and add that."
    case .changed(.vanished): "Put the file back, or correct its path, then retry."
    case .changed: "Retry sends the file as it is now."
    case .empty: "Add content to the file, or leave it out."
    case .tooLarge: "Make it smaller, or send it elsewhere."
    case .typeNotAllowed: "Send it elsewhere, or correct its type."
    case .unsendable: "Correct the target or the file's name, then retry."
    case .clash(.address):
      "A retry is refused, too. Give the file another name, or put {file.path} or {uuid} into the target's address; "
        + "if it may be overwritten, allow that with same_names = true."
    case .clash(.name):
      "A retry is refused, too. Give the file another name, or put {index} or {uuid} into the target's file_name; if "
        + "the server keeps both, allow that with same_names = true."
    case .taken where mayMeetRemnant == true: Self.remnantAdvice
    case .taken: Self.nameAdvice
    case .nameNotResolved: "Check the target's URL and the network, then retry."
    case .connectionRefused, .unreachable: "Check that the server is running, then retry."
    case .proxyUnreachable:
      "Check the proxy and the environment variables that name it (http_proxy, https_proxy, all_proxy), or "
        + "list the server in no_proxy, then retry."
    case .connectionLost, .stalled, .network, .cancelled:
      goesOn
        ? "Retry resumes where the upload left off." : "Retry sends it again from the first byte."
    case .outOfTime: "Give the target a longer deadline, or retry when the connection is faster."
    case .insecure where isSelfSigned:
      "If it is the server's own certificate, run hoist trust URL, compare the fingerprint with the server's and pin "
        + "the key, then send to the target that it names (--to)."
    case .insecure: "Check the certificate and the target's TLS settings, then retry."
    case .refused where step == .wait: "Fix what the server reports, then retry."
    case .refused where arrival == .unclear && status.map { 200..<300 ~= $0 } == true:
      "The server may have the file anyway: check there before you retry, and what it means by this status (ok)."
    case .refused where arrival == .unclear:
      "The server may have stored the file before it reported an error: check there before you retry."
    case .refused where reply.text.contains(scalars: Self.skewCode):
      "Set this machine's clock, then retry: it may differ from the server's by at most 15 minutes."
    case .refused where reply.bucketRegion != nil:
      "Put the region \(reply.bucketRegion ?? "") into the target (auth.sigv4.region), and its endpoint into the URL."
    case _ where isTransient && retryAfter != nil:
      "Retry after that; a target waits for at most retry.max by itself."
    case _ where isTemporary == true: Self.mayPass
    case .refused where step == .existence && status == 403:
      "Retrying will not help: give the target credentials that permit this question, or leave out exists. Some stores "
        + "forbid it for files that they do not have."
    case .refused where mayMeetRemnant == true && isAboutName: Self.remnantAdvice
    case .refused: Self.advice(on: reply.message, status) ?? Self.statusAdvice(status)
    case .redirected(_, .noLocation), .redirected(_, .badLocation):
      "Ask the server's operator where uploads go, and put that URL into the target."
    case .redirected(_, .otherRegion):
      "Put that endpoint and its region into the target (url, auth.sigv4.region)."
    case .redirected: "Put the final URL into the target."
    case .unencrypted: Self.schemeAdvice
    case .notHTTP: "Check the target's URL and port."
    case .rejected: "Fix what the server reports, then retry."
    case .unusable:
      "Compare what the target expects of the reply with the reply itself, correct the target, then retry."
    case .differs:
      "It was damaged on the way or on the server: find out where, delete the stored copy, then retry."
    case .notRecorded:
      step == .confirmation
        ? "A retry asks the server again, and sends the file only if the server still wants it."
        : "Create the record by hand: a retry sends the file again, which may store it twice."
    case .noFolder: "Make it on the server, or correct the target's address, then retry."
    case .unresumable(let fault): fault.advice
    case .denied:
      status == nil
        ? "Run the command by hand, fix it, then retry."
        : "Check what the token permits, then retry: a retry gets a new token."
    case .anonymous:
      "Give the target credentials (auth in its table, or --header), or send the files to a target that has some."
    case .nonceExpired:
      "Retry, perhaps with fewer files at once: the server's nonces may expire before an upload ends."
    case .notTried: "Fix that, then retry."
    case .outcomeUnknown: "Check the server before you retry: a retry may store the file twice."
    }
  }

  /// How to choose what becomes of a file whose name is taken.
  package static let nameAdvice =
    "On the screen, r asks what to do with it; hoist push and hoist send do not ask: set if_there in the target to "
    + "\"replace\", \"skip\" or \"rename\", then retry."

  /// Whether the server refuses the file because its name is taken.
  private var isAboutName: Bool {
    switch status {
    case 409, 412: true
    case 400, 405, 422: Self.meansTakenName(reply.message)
    default: false
    }
  }

  private static let remnantAdvice =
    "An earlier attempt broke off, and what it left on the server may be in the way: if this is such a remnant, delete "
    + "it there, or have hoist do that (before_retry), then retry."

  /// S3's error code for a request whose time differs too much from the server's.
  private static let skewCode = "<Code>RequestTimeTooSkewed</Code>"

  /// Why a server that is reached by https names an address without it.
  private static let schemeAdvice =
    "A proxy in front of the server probably does not tell it that the request came by https: the server's operator "
    + "can have the proxy set X-Forwarded-Proto, and the server must be set to trust it (tusd: -behind-proxy)."

  private static let mayPass = "This may be temporary: retry in a while."

  private static func statusAdvice(_ status: Int?) -> String {
    switch status {
    case .some(200..<300):
      "Retrying will not help: check what the server means by this status, and the target's list of successes (ok)."
    case 400, 422: "Retrying will not help: check which fields and header fields the target sends."
    case 401: "Retrying will not help: give the target credentials that the server accepts."
    case 403:
      "Retrying will not help: the server forbids this upload. Check which credentials the target gives, if any, and what "
        + "they permit."
    case 404, 410: "Retrying will not help: check the path in the target's URL."
    case 405:
      "Retrying will not help: the server expects another method at this URL, or has a folder of this name there. "
        + "Check the path in the target's URL."
    case 407:
      "Retrying will not help: the proxy requires credentials. Put them into its address, in the environment variable that "
        + "names it (http_proxy, https_proxy, all_proxy): http://USER:PASSWORD@HOST:PORT."
    case 411: "Retrying will not help: an intermediary strips the length from the request."
    case 413: "Retrying will not help: the server does not accept files of this size."
    case 415: "Retrying will not help: the server does not accept this type."
    case 507:
      "The server cannot store it: it is out of space or lacks permission. Retry once that is fixed."
    case .some(let status) where StatusMeaning(status).mayPass: mayPass
    case .some, .none: "Retrying will not help until something changes on the server."
    }
  }

  /// The status with its standard phrase: "413 Content Too Large" (RFC 9110 §15).
  package static func statusLine(_ status: Int?) -> String {
    guard let status else { return "refused" }
    return phrases[status].map { "\(status) \($0)" } ?? "status \(status)"
  }

  static let phrases: [Int: String] = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 300: "Multiple Choices",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage", 520: "Web Server Returned an Unknown Error",
    521: "Web Server Is Down", 522: "Connection Timed Out", 523: "Origin Is Unreachable",
    524: "A Timeout Occurred", 525: "SSL Handshake Failed", 526: "Invalid SSL Certificate",
  ]
}

extension Failure.Step {
  fileprivate var words: String {
    switch self {
    case .existence: "the request that asks whether the server has the file already (exists)"
    case .ticket: "the ticket that the upload needs"
    case .open: "the request that comes before the first file (open)"
    case .folder: "the request that makes a folder (folders)"
    case .begin: "the request that begins the upload (pieces.begin)"
    case .pieceTicket: "the request that comes before a piece (pieces.ticket)"
    case .piece(let number, let count): "piece \(number) of \(count) (pieces.piece)"
    case .finish: "the request that finishes the upload (pieces.finish)"
    case .status: "the request that asks how much the server has (pieces.status)"
    case .wait: "the request that asks whether the server has finished with the file (wait)"
    case .confirmation: "the request that confirms the upload (ticket.confirm)"
    case .remnant: "the request that removes what an earlier attempt left (before_retry)"
    }
  }
}

extension Failure.FileChange {
  var words: (headline: String, story: String) {
    switch self {
    // The same as a file that was never there, for a program and at a glance.
    case .vanished: ("file is missing", "The file was there when it was queued and is gone now.")
    case .shrank: ("file shrank", "The file has become shorter since it was queued.")
    case .grew: ("file grew", "The file has become longer since it was queued.")
    case .replaced: ("file was replaced", "The file at this path is not the one that was queued.")
    case .modified: ("file was modified", "The file has been written to since it was queued.")
    }
  }
}

extension Failure.Redirect {
  var story: String {
    switch self {
    case .losesBody: "Such a redirect would drop the file, so it was not followed."
    case .otherOrigin: "The target does not name that server, so the redirect was not followed."
    case .tooMany: "There were too many redirects."
    case .noLocation: "The reply has no Location, so it does not say where to send the file."
    case .badLocation: "An upload cannot be sent to that address."
    case .otherRegion:
      "The bucket is there, and requests must go there and be signed for that region."
    }
  }
}
