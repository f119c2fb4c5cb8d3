import Testing
import UploadDraft
import UploadModel

@testable import Resuming

@Suite("The version of Resumable Uploads for HTTP that a server speaks")
struct VersionNegotiationTests {
  /// A negotiation with a server of which nothing is known.
  private var unknown: VersionNegotiation {
    VersionNegotiation(with: HTTPResumeServer(isSettled: false), upload: nil)
  }

  @Test("every version is tried once, from the newest to the oldest, and then the newest for good")
  func tryAll() {
    var (negotiation, tried) = (unknown, [unknown.version])
    while !negotiation.isSettled, tried.count <= DraftVersion.allCases.count {
      negotiation.tryOlder()
      tried.append(negotiation.version)
    }
    #expect(tried == DraftVersion.allCases.reversed() + [.newest])
    #expect(negotiation.offered == .newest)
  }

  @Test("what the server names ends the search, and is news unless it was known")
  func settling() {
    var negotiation = unknown
    negotiation.tryOlder()
    #expect(!negotiation.isSettled)
    var isNews = negotiation.settle(on: .six)
    #expect(isNews && negotiation.isSettled)
    #expect(negotiation.version == .six && negotiation.offered == .six)
    isNews = negotiation.settle(on: .six)
    #expect(!isNews, "known by now")
    isNews = negotiation.settle(on: .seven)
    #expect(isNews, "the server has been updated")
  }

  @Test("that a version is only assumed makes the same one news")
  func assumed() {
    var negotiation = unknown
    let isNews = negotiation.settle(on: .newest)
    #expect(isNews)
  }

  @Test("an upload keeps its version; the next one has the server's")
  func uploads() {
    var negotiation = VersionNegotiation(with: HTTPResumeServer(version: .nine), upload: .five)
    #expect(negotiation.version == .five && negotiation.offered == .nine)
    negotiation.beginUpload()
    #expect(negotiation.version == .nine && negotiation.isSettled)
  }

  @Test("a refusal names another version once: a server that refuses that one, too, has no say")
  func refusals() {
    var negotiation = unknown
    var isTaken = [negotiation.take(named: nil), negotiation.take(named: .newest)]
    #expect(isTaken == [false, false] && !negotiation.isSettled, "the newest was refused")
    isTaken = [negotiation.take(named: .eight), negotiation.take(named: .seven)]
    #expect(isTaken == [true, false])
    #expect(negotiation.version == .eight && negotiation.isSettled)
  }

  @Test("a server that seems to speak no version is not tried with others")
  func none() {
    var negotiation = unknown
    negotiation.settle()
    #expect(negotiation.isSettled && negotiation.version == .newest)
  }
}
