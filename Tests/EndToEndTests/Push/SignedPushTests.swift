import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// The recipe s3, against moto's S3, which checks signatures.
  @Suite("Uploads with a signature of AWS", .timeLimit(.minutes(5)))
  struct SignedPushTests {
    /// A person with the recipe and the keys.
    private struct Shop {
      let kitchen: RecipeTests.Kitchen
      let moto: Program
      let port: String
      let id: String
      let secret: String

      init() async throws {
        kitchen = try await RecipeTests.Kitchen("s3")
        let script = "Tests/EndToEndTests/Peers/moto_app.py"
        let program = try Program(
          Person.repository.appendingPathComponent(".build/peers/bin/python3").path,
          [Person.repository.appendingPathComponent(script).path, "strict"],
          environment: kitchen.person.environment, directory: kitchen.person.folder.path)
        let found = try await wait(for: "moto", otherwise: { program.errors }) {
          program.output.firstMatch(of: /s3 (http:\S+)\nkeys (\S+) (\S+)\nport (\d+)/)
            .map { [String($0.1), String($0.2), String($0.3), String($0.4)] }
        }
        (moto, id, secret, port) = (program, found[1], found[2], found[3])
        let swap = "sed -i 's|http://[^/]*/inbox|\(found[0])/inbox|' \(kitchen.recipe)"
        #expect(try await kitchen.shell(swap).status == 0)
      }

      func shell(_ line: String, secret: String? = nil) async throws -> Program.Outcome {
        try await kitchen.shell(
          "export AWS_ACCESS_KEY_ID='\(id)' AWS_SECRET_ACCESS_KEY='\(secret ?? self.secret)'; \(line)"
        )
      }

      /// The file of this name as it lies in the bucket.
      func stored(_ name: String) async throws -> Data {
        let path =
          name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["/"])) ?? ""
        let fetched = try await shell(
          "curl -sSf -o fetched 'http://127.0.0.1:\(port)/object/uploads/\(path)'")
        try #require(fetched.status == 0, "\(fetched)")
        return try bytes(kitchen.person.folder.path("fetched"))
      }
    }

    @Test("files arrive byte for byte, whatever their names")
    func push() async throws {
      let shop = try await Shop()
      let folder = shop.kitchen.person.folder
      try FileManager.default.createDirectory(
        atPath: folder.path("in/a b"), withIntermediateDirectories: true)
      let names = ["plain.bin", "a b/ü & é+(1) 100%.txt", "a b/日本=~'!.txt", "empty"]
      for (index, name) in names.enumerated() {
        try folder.write("in/\(name)", count: [3_000_000, 1000, 10, 0][index], seed: UInt64(index))
      }
      let outcome = try await shop.shell("hoist push in -r --json $R")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(!(outcome.output + outcome.errors).contains(shop.secret))
      for name in names {
        #expect(try await shop.stored(name) == bytes(folder.path("in/\(name)")), "\(name)")
      }
      let checked = try await shop.shell(
        "printf '[targets.s3.headers]\\nX-Amz-Content-Sha256 = \"{file.sha256}\"\\n' >> $(echo $R | cut -d' ' -f2); hoist push in/plain.bin --json $R"
      )
      #expect(checked.status == 0, "\(checked)")
    }

    @Test("a file goes in pieces, each with a signature of its own")
    func pieces() async throws {
      let shop = try await Shop()
      try shop.kitchen.write("big ü.bin", 12_000_000)
      let recipe = shop.kitchen.person.folder.path(shop.kitchen.recipe)
      let text = try String(contentsOfFile: recipe, encoding: .utf8)
        .replacing("above = \"32 MiB\"", with: "above = \"1 MiB\"")
        .replacing("size = \"16 MiB\"", with: "size = \"5 MiB\"")
      try shop.kitchen.person.folder.write(shop.kitchen.recipe, Array(text.utf8))
      let outcome = try await shop.shell("hoist push 'big ü.bin' --json $R")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(
        try await shop.stored("big ü.bin")
          == bytes(shop.kitchen.person.folder.path("big ü.bin")))
      // The first of the curl commands begins an upload too.
      let begun = try await shop.shell(
        "hoist push 'big ü.bin' --as-curl $R | sed '/^# Piece/,$d' > begin; . ./begin --silent --fail"
      )
      #expect(begun.status == 0 && begun.output.contains("<UploadId>"), "\(begun)")
    }

    @Test("the error about a wrong secret says what it is")
    func wrongSecret() async throws {
      let shop = try await Shop()
      try shop.kitchen.write("a.txt", 100)
      let outcome = try await shop.shell(
        "hoist push a.txt --attempts 1 --json $R", secret: "hunter2hunter2")
      #expect(outcome.status == 1)
      let end = try outcome.events().end(of: "a.txt")
      #expect(end.text("cause") == "http-403", "\(outcome)")
      #expect(!(outcome.output + outcome.errors).contains("hunter2"))
      let shown = try await shop.shell(
        "hoist push a.txt --attempts 1 $R", secret: "hunter2hunter2")
      #expect(
        shown.errors.contains("signature we calculated does not match"), "\(shown)")
      let unsigned = try await shop.shell(
        "sed -i '/sigv4/,$d' $(echo $R | cut -d' ' -f2); hoist push a.txt --attempts 1 --json $R")
      #expect(try unsigned.events().end(of: "a.txt").event == "failed", "\(unsigned)")
    }

    @Test("what is shown has no secret, and curl sends the same")
    func shown() async throws {
      let shop = try await Shop()
      try shop.kitchen.write("a.txt", 1000)
      let dry = try await shop.shell("hoist push a.txt --dry-run $R")
      #expect(dry.output.contains("Authorization: AWS4-HMAC-SHA256 $SIGNATURE"), "\(dry)")
      let command = try await shop.shell("hoist push a.txt --as-curl $R")
      #expect(
        command.output.contains("--aws-sigv4 aws:amz:us-east-1:s3")
          && command.output.contains("--header 'X-Amz-Content-Sha256: ")
          && command.output.contains("--user \"$AWS_ACCESS_KEY_ID\":\"$AWS_SECRET_ACCESS_KEY\""),
        "\(command)")
      let settings = try await shop.shell("hoist config show $R")
      for outcome in [dry, command, settings] {
        #expect(!(outcome.output + outcome.errors).contains(shop.secret), "\(outcome)")
        #expect(!(outcome.output + outcome.errors).contains(shop.id), "\(outcome)")
      }
      let sent = try await shop.shell(
        "hoist push a.txt --as-curl $R > run; . ./run --silent --fail")
      #expect(sent.status == 0, "\(sent)")
      #expect(
        try await shop.stored("a.txt") == bytes(shop.kitchen.person.folder.path("a.txt")))
    }
  }
}
