import Foundation
import TestSupport
import Testing

@testable import Receiver

@Suite("Clients that are not ours", .needs("peers"))
struct PeerTests {
  /// Uploads one file and two fields over and over on one connection pool, and prints the answers.
  static let programs: [String: String] = [
    "requests": """
    import requests
    with requests.Session() as s:
        for _ in range(3):
            r = s.post(url, files={"upload": (name, open(path, "rb"), "image/png")},
                       data={"title": "Grüße", "n": "1"})
            print(r.status_code, r.text.strip())
    """,
    "httpx": """
    import httpx
    with httpx.Client() as c:
        for _ in range(3):
            r = c.post(url, files={"upload": (name, open(path, "rb"), "image/png")},
                       data={"title": "Grüße", "n": "1"})
            print(r.status_code, r.text.strip())
    """,
    "aiohttp": """
    import aiohttp, asyncio
    async def main():
        async with aiohttp.ClientSession() as s:
            for _ in range(3):
                form = aiohttp.FormData(quote_fields=False)
                form.add_field("title", "Grüße")
                form.add_field("n", "1")
                form.add_field("upload", open(path, "rb"), filename=name, content_type="image/png")
                async with s.post(url, data=form, chunked=True, expect100=True) as r:
                    print(r.status, (await r.text()).strip())
    asyncio.run(main())
    """,
  ]

  static let python = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent(".build/peers/bin/python3").path

  @Test(
    "arrive byte for byte and understand the answer",
    arguments: programs.keys.sorted(),
    ["plain.png", "größe 🎉.png", String(repeating: "n", count: 200) + ".png"]
  )
  func upload(client: String, name: String) async throws {
    try #require(
      FileManager.default.isExecutableFile(atPath: Self.python),
      "\(Self.python) is missing: run make setup")
    let program = try #require(Self.programs[client])
    try await TestServer.run { server in
      let bytes = patternBytes(3_000_000)
      let source = server.folder.path + "-source"
      try Data(bytes).write(to: URL(fileURLWithPath: source))
      let (status, output) = try run(
        Self.python,
        [
          "-c", "import sys\nurl, path, name = sys.argv[1:]\n" + program,
          "http://127.0.0.1:\(server.port)/upload", source, name,
        ])
      #expect(status == 0)
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 3)
      for line in lines {
        #expect(line.hasPrefix("201 "), "\(line)")
        let file = try #require(try Receipt(Array(line.dropFirst(4).utf8)).files.first)
        #expect(file.field == "upload" && file.type == "image/png" && file.name == name)
        #expect(try server.bytes(file.stored) == bytes)
        #expect(line.contains("\"title\":\"Grüße\""))
      }
      #expect(try server.names().contains(name))
    }
  }
}
