import Foundation
import JSONText
import Testing

@testable import UploadModel

/// Pages and columns of what is on a server.
struct ListingTests {
  private func end(
    _ body: String = "[]", link: String? = nil, at address: String = "https://h/l?page=1"
  ) throws -> TransferEnd {
    TransferEnd(
      url: try #require(URL(string: address)), status: 200,
      headers: link.map { ["link": $0] } ?? [:], reply: Reply(text: body))
  }

  private func words(_ step: NextPage.Step?) -> String {
    switch step {
    case nil: "-"
    case .address(let url): url.absoluteString
    case .query(let name, let value): "\(name)=\(value)"
    }
  }

  @Test(arguments: [
    (#"<https://h/l?page=2>; rel="next""#, "https://h/l?page=2"),
    (#"<https://h/l?page=9>; rel="last", </l?page=2>; rel="next""#, "https://h/l?page=2"),
    (#"<?page=2>;title="a, b; rel=next";rel=next"#, "https://h/l?page=2"),
    (#"</a>; rel="prev", </b>; rel="next last""#, "https://h/b"),
    (#"<https://h/l?page=9>; rel="last""#, "-"), ("", "-"), ("<", "-"), ("<x", "-"),
  ])
  func byLink(_ field: String, _ expected: String) throws {
    let step = NextPage.link.step(after: try end(link: field), count: 1, pages: 1)
    #expect(words(step) == expected)
  }

  @Test(arguments: [
    (#"{"next":"/l?page=2"}"#, "https://h/l?page=2"), (#"{"next":null}"#, "-"),
    (#"{"next":""}"#, "-"), ("{}", "-"), (#"{"next":{}}"#, "-"), ("<html>", "-"),
  ])
  func byPointer(_ body: String, _ expected: String) throws {
    let next = NextPage.address(try JSONPointer("/next"))
    #expect(words(next.step(after: try end(body), count: 1, pages: 1)) == expected)
  }

  @Test func byTokenAndByNumber() throws {
    let token = NextPage.token(try JSONPointer("/cursor"), query: "after")
    #expect(words(token.step(after: try end(#"{"cursor":7}"#), count: 1, pages: 1)) == "after=7")
    #expect(words(token.first) == "-")
    let number = NextPage.number(query: "p", from: 0)
    #expect(words(number.first) == "p=0")
    #expect(words(number.step(after: try end(), count: 5, pages: 1)) == "p=1")
    #expect(words(number.step(after: try end(), count: 0, pages: 2)) == "-")
  }

  @Test(arguments: [
    (Column.Format.text, "1795212900"), (.epoch, "2026-11-20 22:15:00"),
    (.epochMilliseconds, "1970-01-21 18:40:12"), (.iso8601, "1795212900"),
  ])
  func times(_ format: Column.Format, _ expected: String) throws {
    let column = Column(try JSONPointer("/t"), format)
    let entry = try #require(JSONValue(text: #"{"t":1795212900}"#))
    let shift = Double(TimeZone.current.secondsFromGMT())
    guard shift == 0 else { return }
    #expect(column.text(in: entry) == expected)
  }

  @Test func whatIsNoTimeStays() throws {
    let entry = try #require(JSONValue(text: #"{"t":"yesterday","big":1e300}"#))
    for format in Column.Format.allCases {
      #expect(Column(try JSONPointer("/t"), format).text(in: entry) == "yesterday")
      #expect(Column(try JSONPointer("/none"), format).text(in: entry) == nil)
    }
    #expect(Column(try JSONPointer("/big"), .epoch).text(in: entry)?.isEmpty == false)
  }

  @Test func anEntryWithoutATitleIsCalledByItsIdentifier() throws {
    let list = ServerSide.Listing(
      call: Call(url: Template(literal: "https://h/")), items: .whole,
      id: try JSONPointer("/id"), title: try JSONPointer("/name"))
    let document = try #require(JSONValue(text: #"[{"id":7},{"id":8,"name":"b"}]"#))
    #expect(try list.entries(in: document).map(\.name) == ["7", "b"])
  }
}
