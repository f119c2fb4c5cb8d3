import UploadModel

/// The rows about protocols for resuming uploads.
extension AdviceTable {
  static let resuming: [AdviceRow] = ResumeFault.allCases.map { fault in
    AdviceRow(
      Failure(.unresumable(fault), status: 201, attempts: 1),
      // The server has to be changed, or the target.
      fault == .appendTooSmall ? .person : .stories(stories(fault)))
  }

  private static func stories(_ fault: ResumeFault) -> [AdviceStory] {
    func off(_ change: @escaping Change) -> [AdviceStory] {
      [
        AdviceStory(
          table: "resume = \"tus\"", mendedTable: "resume = \"off\"", script: tus(change))
      ]
    }
    func again(_ change: @escaping Change) -> [AdviceStory] {
      [AdviceStory(table: "resume = \"tus\"", after: ["/files/1"], script: tus(change))]
    }
    return switch fault {
    case .noLocation: off { $0.location = nil }
    case .otherVersion: off { $0.begin = "412 No" }
    case .locationElsewhere:
      [
        AdviceStory(
          table: "resume = \"tus\"", mendedTable: "resume = \"tus\"\nredirect_to = [\"OTHER\"]",
          after: ["/files/1"], script: tus(always: true) { $0.location = "OTHER/files/1" })
      ]
    case .locationAtHome:
      [
        AdviceStory(
          table: "resume = \"tus\"\nredirect_to = [\"OTHER\"]", mendedURL: "OTHER/u",
          mendedTable: "resume = \"tus\"", after: ["/files/1"], script: redirectingTus)
      ]
    case .offsetBeyondEnd: again { $0.offset = "99999" }
    case .offsetStuck: again { $0.offset = "0" }
    // The advice is that of another fault, whose row carries it out.
    case .checksumMismatch, .offsetWentBack, .otherLength, .endedEarly, .neverComplete,
      .locationChanged, .appendTooSmall, .badLocation, .unexpectedStatus, .noOffset:
      []
    }
  }

  /// How a server strays from tus 1.0.0.
  struct Answers: Sendable {
    var begin = "201 Created"
    var location: String? = "/files/1"
    /// How much it says that it has after a piece; nil if it does not say.
    var offset: String? = "END"
  }

  typealias Change = @Sendable (inout Answers) -> Void

  /// A server that sends uploads to one under another name, which names an address on the first.
  private static let redirectingTus: AdviceServer.Script = { request, isMended in
    let host = request.headers["host"] ?? ""
    let (home, other) = ("http://\(host)", host.replacing("127.0.0.1", with: "localhost"))
    if request.method == "POST", host != other {
      return .reply("307 There\r\nLocation: http://\(other)/u")
    }
    let first = home.replacing("localhost", with: "127.0.0.1")
    return tus(always: true) { $0.location = isMended ? "/files/1" : "\(first)/files/1" }(
      request, isMended)
  }

  /// A tus server that strays from the protocol until it is mended, or always. It takes forms, too.
  private static func tus(always: Bool = false, _ change: @escaping Change) -> AdviceServer.Script {
    { request, isMended in
      var answers = Answers()
      if always || !isMended { change(&answers) }
      let isTus = request.headers["tus-resumable"] != nil
      switch request.method {
      case "POST" where request.headers["upload-length"] != nil:
        let location = answers.location.map {
          let other = "http://\(request.headers["host"] ?? "")"
            .replacing("127.0.0.1", with: "localhost")
          return "\r\nLocation: \($0.replacing("OTHER", with: other))"
        }
        return .reply("\(answers.begin)\r\nTus-Resumable: 1.0.0\(location ?? "")")
      case "PATCH":
        let end = (Int(request.headers["upload-offset"] ?? "") ?? 0) + request.body.count
        let offset = answers.offset.map {
          "\r\nUpload-Offset: \($0.replacing("END", with: "\(end)"))"
        }
        return .reply(
          "204 No Content\r\nTus-Resumable: 1.0.0\(offset ?? "")", stores: answers.offset == "END")
      case "HEAD":
        return .reply(
          "200 OK\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nUpload-Length: 1000")
      case "POST" where !isTus: return .take
      default: return .reply("204 No Content\r\nTus-Resumable: 1.0.0\r\nTus-Version: 1.0.0")
      }
    }
  }
}
