import Testing

@testable import HTTPTransport

struct ReplyHeadTests {
  private func parse(_ lines: [String]) -> ReplyHeadParser {
    var parser = ReplyHeadParser()
    for line in lines {
      _ = Array((line + "\r\n").utf8).withUnsafeBytes { parser.consume($0) }
    }
    return parser
  }

  @Test func namesAreInLowerCaseAndValuesTrimmed() {
    let head = parse(["HTTP/1.1 201 Created", "Location:  /a b \t", "X-None:", ""]).head
    #expect(head == ReplyHead(status: 201, headers: ["location": "/a b", "x-none": ""]))
  }

  /// Latin-1, as old servers write it.
  @Test func addressesKeepTheirBytes() {
    var parser = ReplyHeadParser()
    for line in ["HTTP/1.1 201 Created", "Location: /f/\u{FC}.txt", "X-A: \u{FC}", ""] {
      let bytes = line.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + "\r\n".utf8
      _ = bytes.withUnsafeBytes { parser.consume($0) }
    }
    #expect(parser.head?.headers == ["location": "/f/%FC.txt", "x-a": "\u{FFFD}"])
    #expect(
      parse(["HTTP/1.1 201 Created", "Location: /\u{FC}", ""]).head?.headers["location"]
        == "/\u{FC}")
  }

  @Test func fieldsThatComeTwiceAreJoined() {
    let head = parse(["HTTP/2 200", "link: <a>", "Link: <b>", ""]).head
    #expect(head == ReplyHead(status: 200, isFramed: true, headers: ["link": "<a>, <b>"]))
  }

  @Test func interimRepliesAreNone() {
    let interim = parse(["HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: <a>", ""])
    #expect(interim.head == nil)
    #expect(interim.hasContinued)
    #expect(!interim.hasBegun)
    let final = parse(["HTTP/1.1 103 Early Hints", "Link: <a>", "", "HTTP/1.1 204 No Content", ""])
    #expect(final.head == ReplyHead(status: 204))
    #expect(!final.hasContinued)
  }

  @Test func interimRepliesAreTold() {
    #expect(parse(["HTTP/1.1 100 Continue", ""]).interim == nil)
    let interim = parse(["HTTP/1.1 104 Upload Resumption Supported", "Location: /1", ""])
    #expect(interim.interim == ReplyHead(status: 104, headers: ["location": "/1"]))
    #expect(interim.head == nil)
    let next = parse(["HTTP/1.1 104 Upload Resumption Supported", "", "HTTP/1.1 200 OK", ""])
    #expect(next.interim == nil)
  }

  @Test func aHeadCountsOnceItIsWhole() {
    let open = parse(["HTTP/1.1 200 OK", "A: b"])
    #expect(open.head == nil)
    #expect(open.hasBegun)
  }

  @Test func trailersAreNotPartOfIt() {
    let head = parse(["HTTP/1.1 200 OK", "", "X-Trailer: 1", ""]).head
    #expect(head == ReplyHead(status: 200))
  }

  @Test func theLastReplyOfSeveralCounts() {
    let head = parse(["HTTP/1.1 417 No", "", "HTTP/1.1 200 OK", ""]).head
    #expect(head?.status == 200)
  }

  /// A mark after the colon makes another `Character` of it.
  @Test func namesEndAtTheByteOfTheColon() {
    let head = parse(["HTTP/1.1 200 OK", "Location:\u{301}x", ""]).head
    #expect(head?.headers == ["location": "\u{301}x"])
  }
}
