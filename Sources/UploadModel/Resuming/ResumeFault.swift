/// How a server broke the rules for resuming uploads; `story` says what each case means.
package enum ResumeFault: String, Error, Hashable, Sendable, Codable, CaseIterable {
  case noLocation
  case badLocation
  case locationElsewhere
  /// Another server, to which the target's own redirected, named an address on the target's own server.
  case locationAtHome
  case noOffset
  case offsetBeyondEnd
  case offsetWentBack
  case offsetStuck
  case locationChanged
  case endedEarly
  case neverComplete
  case otherLength
  case unexpectedStatus
  case otherVersion
  case appendTooSmall
  case checksumMismatch

  /// The code for scripts: `resume-no-location`, and so on.
  var code: String {
    rawValue.unicodeScalars.reduce(into: "resume-") { code, scalar in
      if scalar.properties.isUppercase { code += "-" }
      code += scalar.properties.lowercaseMapping
    }
  }

  var headline: String {
    switch self {
    case .noLocation: "no address for the upload"
    case .badLocation: "bad address for the upload"
    case .locationElsewhere: "upload kept elsewhere"
    case .locationAtHome: "upload address not allowed"
    case .noOffset: "no offset from the server"
    case .offsetBeyondEnd: "server claims too many bytes"
    case .offsetWentBack: "server has lost bytes"
    case .offsetStuck: "server accepts no bytes"
    case .locationChanged: "two addresses for the upload"
    case .endedEarly: "upload closed too early"
    case .neverComplete: "upload never complete"
    case .otherLength: "upload of a different length"
    case .unexpectedStatus: "unexpected status"
    case .otherVersion: "other protocol version"
    case .appendTooSmall: "server accepts too little at once"
    case .checksumMismatch: "damaged on the way"
    }
  }

  var story: String {
    switch self {
    case .noLocation:
      "The server created an upload but did not say where: its reply has no Location."
    case .badLocation: "The server keeps the upload at an address that nothing can be sent to."
    case .locationElsewhere:
      "The server put the upload on another server, which the target does not name, so hoist did not use it."
    case .locationAtHome:
      "Another server gave the upload an address on the target's own server. That address was not used, since requests "
        + "there carry the target's credentials."
    case .noOffset: "The server did not say how much of the file it has."
    case .offsetBeyondEnd: "The server says that it has more bytes than the file contains."
    case .offsetWentBack: "The server has fewer bytes of the file than it said before."
    case .offsetStuck:
      "The server accepted bytes again and again, but says that it has none of them."
    case .locationChanged: "The server named two addresses for the same upload."
    case .endedEarly: "The server closed the upload before it had all of it."
    case .neverComplete:
      "The server has all of the upload but does not say that it is complete (Upload-Complete)."
    case .otherLength: "The upload at the saved address has a different length."
    case .unexpectedStatus:
      "The server's status is not the one by which the protocol reports success."
    case .otherVersion: "The server does not speak tus 1.0.0."
    case .appendTooSmall:
      "The server accepts so few bytes in one request (max-append-size of Upload-Limit) that the file would need "
        + "more than \(ResumeLimits.mostTinyPieces) of them."
    case .checksumMismatch:
      "Three times in a row, the checksum of the received bytes differed from that of the sent bytes."
    }
  }

  var advice: String {
    switch self {
    case .locationElsewhere:
      "If that server may have the file, name it in the target's redirect_to, then retry."
    case .locationAtHome:
      "Put the server that takes the uploads into the target's URL, or set resume = \"off\"."
    case .noLocation, .badLocation, .locationChanged, .unexpectedStatus, .otherVersion, .noOffset:
      "Check that the server at the target's URL speaks that protocol, or set resume = \"off\"."
    case .offsetBeyondEnd, .offsetWentBack, .otherLength, .endedEarly, .neverComplete:
      "Retry starts a new upload from the first byte."
    case .appendTooSmall:
      "Have the server accept larger pieces, or set resume = \"off\"; until then, retrying will not help."
    case .offsetStuck, .checksumMismatch:
      "An intermediary may change what is sent. Retry resumes where the upload left off."
    }
  }
}
