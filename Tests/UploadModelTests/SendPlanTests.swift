import Foundation
import MultipartForm
import Testing

@testable import UploadModel

@Suite("What follows from a target is worked out once")
struct SendPlanTests {
  private func target(_ headers: [(String, String)] = []) throws -> Target {
    var target = Target(name: "t", url: try #require(URL(string: "http://h/up")))
    target.headers = try headers.map { name, value in
      Target.Field(name: name, value: try Template(value) { $0 == "BAD" ? "a\nb" : "s3cret" })
    }
    return target
  }

  @Test(
    "a header field is filled in once unless a placeholder keeps that from being possible",
    arguments: [
      ("X-A", "a b", "a b"), ("X-A", "Bearer {env.KEY}", "Bearer $KEY"),
      ("X-A", "{file.name}", nil), ("X-A", "{now.iso8601}", nil),
      // It cannot be sent; each request says so.
      ("X-A", "{env.BAD}", nil),
      // The server would refuse each file because of it.
      ("X-OC-MTime", "12", nil),
    ] as [(String, String, String?)])
  func headers(_ name: String, _ value: String, _ shown: String?) throws {
    let lines = SendPlan(try target([(name, value)])).headers
    #expect(lines.count == 1)
    let fixed = lines.compactMap { line in
      if case .fixed(let header) = line { header.value.shown } else { nil }
    }
    #expect(fixed == [shown].compactMap(\.self))
  }

  @Test("fields that only the transport writes are in no request")
  func reserved() throws {
    let names = ["content-length", "Transfer-Encoding", "EXPECT"]
    #expect(SendPlan(try target(names.map { ($0, "1") })).headers.isEmpty)
  }

  @Test("the address, the form and the header fields of a request are the target's")
  func request() throws {
    var target = try target([("X-A", "1"), ("X-B", "{file.name}"), ("x-a", "2")])
    target.query = [.init(name: "key", value: try Template("{env.KEY}") { _ in "s3cret" })]
    target.fields = [
      .init(name: "f", value: Template(literal: "1")),
      .init(name: "g", value: try Template("{file.name}")),
    ]
    let plan = SendPlan(target)
    for name in ["a", "b"] {
      let item = UploadItem(id: ItemID(1), location: FileLocation("/tmp/\(name)"))
      let request = try RequestPlan(
        [item], to: plan, at: .target, credentials: .all(token: nil),
        target.values(of: item, now: Date(), uuid: UUID()))
      #expect(request.head.address?.written == "http://h/up?key=s3cret")
      #expect(request.head.address?.shown == "http://h/up?key=$KEY")
      #expect(request.head.headers.dropFirst(2).map(\.name) == ["X-B", "x-a"])
      #expect(request.head.headers.dropFirst(2).map(\.value.written) == [name, "2"])
      let texts = request.parts.map { part in
        if case .text(let text, _) = part.value { text.written } else { "file" }
      }
      #expect(texts == ["1", name, "file"])
    }
  }

  @Test("plans for targets that say the same are equal, and no others")
  func equality() throws {
    let plans = [
      SendPlan(try target()), SendPlan(try target()), SendPlan(try target([("A", "1")])),
    ]
    #expect(plans[0] == plans[1] && plans[0] != plans[2])
    #expect(Set(plans).count == 2)
  }
}
