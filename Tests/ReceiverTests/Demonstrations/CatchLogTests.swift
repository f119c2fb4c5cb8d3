import Foundation
import JSONText
import Receiver
import TestSupport
import Testing

@testable import ReceiverDemos

@Suite("The catch log")
struct CatchLogTests {
  private static func catchForm(
    user: String = "u", token: String = "t", order: [String] = CatchLog.fieldNames,
    date: String = "1795212900",
    imageType: String = "image/jpeg"
  ) -> String {
    let values = ["catchDate": date, "userId": user, "token": token, "fishLength": "42.5"]
    return order.map { Wire.part($0, values[$0] ?? "") }.joined()
      + Wire.part("catchImage", "JPEG", file: "fish.jpg", type: imageType) + Wire.end
  }

  private func answer(_ reply: RawClient.Reply) throws -> (rc: String, descr: String, items: Int) {
    guard reply.status == 200, case .object(let outer) = try reply.json(),
      case .object(let inner)? = outer["fishingResponse"]
    else { return ("none", "", 0) }
    var count = 0
    if case .array(let items)? = inner["items"] { count = items.count }
    return (inner["rc"]?.text ?? "", inner["descr"]?.text ?? "", count)
  }

  @Test("catches are logged, listed and deleted, for their own user only")
  func catches() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let add = "/fishingserver/catches/add.htm"
      let list = "/fishingserver/catches/catches.json?action=list"
      let delete = "/fishingserver/catches/delete.htm?id=1"
      func remove(_ rest: String) throws -> String {
        try answer(server.request(Wire.head("\(delete)\(rest)", length: 0))).rc
      }
      #expect(try answer(server.request(Wire.post(Self.catchForm(), to: add))).rc == "0")
      #expect(
        try server.names() == [".hoist-records.json", ".hoist-records.json.lock", "fish.jpg"])
      #expect(try answer(server.request(Wire.post(Self.catchForm(token: "x"), to: add))).rc == "2")
      #expect(try answer(server.request(Wire.get("\(list)&userid=u&token=t"))) == ("0", "", 1))
      #expect(try answer(server.request(Wire.get("\(list)&userid=u&token=x"))).rc == "2")
      #expect(try answer(server.request(Wire.get("\(list)&userid=v&token=t"))) == ("0", "", 0))
      #expect(
        try answer(server.request(Wire.get("/fishingserver/catches/catches.json?action=x"))).rc
          == "4")
      #expect(try remove("&userid=u&token=x") == "2")
      #expect(try remove("&userid=v&token=t") == "3")
      #expect(try remove("&userid=u&token=t") == "0")
      #expect(
        try server.names() == [".hoist-records.json", ".hoist-records.json.lock"],
        "the picture goes with its catch")
      let text = String(decoding: try server.bytes(".hoist-records.json"), as: UTF8.self)
      #expect(!text.contains("\"t\""))
    }
  }

  @Test(
    "a catch that is not right is 200 with an rc, and nothing of it is kept",
    arguments: [
      (catchForm(date: "yesterday"), "catchDate is not a time in Unix seconds"),
      (catchForm(user: ""), "userId is empty"), (catchForm(token: ""), "token is empty"),
      (catchForm(imageType: "image/png"), "catchImage is not image/jpeg"),
      (
        catchForm(order: Array(CatchLog.fieldNames.reversed())),
        "expected catchDate, found submitButton"
      ),
      (
        catchForm(order: Array(CatchLog.fieldNames.dropLast())),
        "expected submitButton, found catchImage"
      ),
    ])
  func badCatches(form: String, words: String) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let reply = try answer(server.request(Wire.post(form, to: "/fishingserver/catches/add.htm")))
      #expect(reply == ("1", words, 0))
      #expect(try server.names().isEmpty)
    }
  }
}
