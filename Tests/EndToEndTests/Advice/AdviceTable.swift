import UploadModel

/// Each cause of a failure with its advice: a command, a key, or something that only a person can do.
enum AdviceTable {
  static let rows: [AdviceRow] = AdviceKind.allCases.flatMap(rows)

  private static let put = "method = \"PUT\"\nbody = \"binary\"\n"
  private static let large = "head -c 600000 /dev/urandom > a.bin"
  private static let two = "mkdir e; head -c 1000 /dev/urandom > a.bin; echo 2 > e/a.bin"

  /// The rows about a cause. A new cause does not compile until it has some.
  private static func rows(_ kind: AdviceKind) -> [AdviceRow] {
    switch kind {
    case .missing, .unreadable, .shortage, .folder, .brokenLink, .specialFile, .vanished, .changed,
      .tooLarge, .empty, .typeNotAllowed, .unsendable, .sameAddress, .sameName:
      local(kind)
    case .nameNotResolved, .connectionRefused, .unreachable, .proxyUnreachable, .connectionLost,
      .stalled, .outOfTime, .selfSigned, .insecure, .network:
      onTheWay(kind)
    case .refused: AdviceTable.refusals
    case .nameTaken: [nameTaken]
    case .losesBody, .otherOrigin, .tooMany, .noLocation, .badLocation, .otherRegion, .unencrypted:
      redirects(kind)
    case .notHTTP, .rejected, .unusable, .differs, .notRecorded, .noFolder, .outcomeUnknown:
      answers(kind)
    case .unresumable: resuming
    case .noToken, .denied, .anonymous, .nonceExpired: credentials(kind)
    case .notTried:
      [
        AdviceRow(
          .notTried("the server asks for credentials, and the target has none"),
          AdviceStory(
            files: two, arguments: ["a.bin", "e/a.bin"], table: "concurrency = 1",
            mendedTable: "auth = { bearer = \"x\" }", after: ["/u", "/u"],
            sent: ["a.bin", "e/a.bin"],
            script: AdviceServer.failing("401 Who", unless: { $0.headers["authorization"] != nil })),
          AdviceStory(
            way: .screen, key: "R",
            files: "\(two); printf '#!/bin/sh\\necho old\\n' > pass; chmod 700 pass",
            arguments: ["a.bin", "e/a.bin"],
            table: "concurrency = 1\nauth = { bearer_command = [\"./pass\"] }",
            mend: "printf '#!/bin/sh\\necho new\\n' > pass", after: ["/u", "/u"],
            sent: ["a.bin", "e/a.bin"],
            script: AdviceServer.failing(
              "401 No", unless: { $0.headers["authorization"] == "Bearer new" })))
      ]
    case .cancelled:
      [
        AdviceRow(
          .cancelled,
          AdviceStory(way: .interrupted, files: large, early: .stall, script: AdviceServer.taking))
      ]
    }
  }

  // MARK: This machine

  private static func local(_ kind: AdviceKind) -> [AdviceRow] {
    switch kind {
    case .missing:
      [
        AdviceRow(
          .missing,
          AdviceStory(files: "true", mend: "echo 1 > a.bin", script: AdviceServer.taking),
          AdviceStory(
            way: .screen, files: "true", mend: "echo 1 > a.bin", script: AdviceServer.taking))
      ]
    case .unreadable:
      [
        AdviceRow(
          .unreadable("Permission denied"),
          AdviceStory(
            way: .program, files: "echo 1 > a.bin; chmod 0 a.bin", mend: "chmod 600 a.bin",
            script: AdviceServer.taking))
      ]
    case .shortage:
      [
        AdviceRow(
          Failure(.shortage("Too many open files"), attempts: 1),
          .test("enoughFiles", in: "Push/MachineTests"))
      ]
    case .folder:
      [
        AdviceRow(
          .notAFile(kind: "a folder"),
          AdviceStory(
            files: "mkdir d; echo 1 > d/a.bin", arguments: ["d"], adding: ["-r"], sent: ["d/a.bin"],
            script: AdviceServer.taking))
      ]
    case .brokenLink:
      [
        AdviceRow(
          .brokenLink,
          AdviceStory(
            files: "ln -s nowhere a.bin", mend: "echo 1 > nowhere", script: AdviceServer.taking))
      ]
    case .specialFile:
      [
        AdviceRow(
          .notAFile(kind: "a FIFO"),
          AdviceStory(
            files: "mkfifo a.bin", mend: "rm a.bin; echo 1 > a.bin", script: AdviceServer.taking))
      ]
    case .vanished:
      [
        AdviceRow(
          .changed(.vanished),
          AdviceStory(
            way: .queue, meanwhile: "mv a.bin kept", mend: "mv kept a.bin",
            script: AdviceServer.taking))
      ]
    case .changed:
      [
        AdviceRow(
          .changed(.modified),
          AdviceStory(
            way: .queue, meanwhile: "touch -d '1 hour ago' a.bin", script: AdviceServer.taking)),
        AdviceRow(
          .changed(.shrank),
          AdviceStory(way: .queue, meanwhile: "echo 1 > a.bin", script: AdviceServer.taking)),
        // The advice is the same. A file grows only while it is sent, and only if its beginning changes, too.
        AdviceRow(.changed(.replaced)), AdviceRow(.changed(.grew)),
      ]
    case .tooLarge:
      [
        AdviceRow(
          .tooLarge(limit: 500),
          AdviceStory(
            table: "limits = { max_bytes = 500 }", mend: "truncate -s 400 a.bin",
            script: AdviceServer.taking))
      ]
    case .empty:
      [
        AdviceRow(
          .empty,
          AdviceStory(
            files: "touch a.bin", table: "limits = { refuse_empty = true }",
            mend: "echo 1 > a.bin", script: AdviceServer.taking))
      ]
    case .typeNotAllowed:
      [
        AdviceRow(
          .typeNotAllowed("application/octet-stream", allowed: ["image/*"]),
          AdviceStory(
            table: "limits = { types = [\"image/*\"] }", adding: ["--type", "image/png"],
            script: AdviceServer.taking))
      ]
    case .unsendable:
      [
        AdviceRow(
          .unsendable("the header field X-Name would contain a control character"),
          AdviceStory(
            files: "echo 1 > \"$(printf 'a\\001b')\"", arguments: ["a\u{1}b"],
            table: "headers = { X-Name = \"{file.name}\" }", mendedTable: "concurrency = 1",
            sent: ["a\u{1}b"], script: AdviceServer.taking))
      ]
    case .sameAddress:
      [
        ("SERVER/{file.name}", put + "same_names = true", ["/a.bin", "/a.bin"]),
        ("SERVER/{file.path}", put, ["/a.bin", "/e/a.bin"]),
      ].map { url, table, after in
        AdviceRow(
          .clash(.address("http://h/a.bin")),
          AdviceStory(
            files: two, arguments: ["-r", "."], url: "SERVER/{file.name}", table: put,
            before: 1, mendedURL: url, mendedTable: table,
            command: ["push", "--retry-failed", "r.json"], after: after,
            sent: ["a.bin", "e/a.bin"], script: AdviceServer.taking))
      }
    case .sameName:
      ["file_name = \"{index}-{file.name}\"", "same_names = true"].map {
        AdviceRow(
          .clash(.name("a.bin")),
          AdviceStory(
            files: two, arguments: ["a.bin", "e/a.bin"], table: "batch = { max_files = 5 }",
            before: 1, mendedTable: "batch = { max_files = 5 }\n\($0)",
            command: ["push", "--retry-failed", "r.json"], after: ["/u", "/u"],
            sent: ["a.bin", "e/a.bin"], script: AdviceServer.taking))
      }
    default: []
    }
  }

  // MARK: On the way

  private static func onTheWay(_ kind: AdviceKind) -> [AdviceRow] {
    let moved = { url in
      AdviceStory(url: url, mendedURL: "SERVER/u", script: AdviceServer.taking)
    }
    return switch kind {
    case .nameNotResolved:
      [AdviceRow(.nameNotResolved(host: "upload.invalid"), moved("http://upload.invalid/u"))]
    case .connectionRefused:
      [
        AdviceRow(
          .connectionRefused("Connection refused"),
          AdviceStory(startsLate: true, script: AdviceServer.taking))
      ]
    // The kernel has no route for TCP to a broadcast address.
    case .unreachable:
      [AdviceRow(.unreachable("No route to host", .network), moved("http://127.255.255.255/u"))]
    case .proxyUnreachable:
      [
        AdviceRow(
          .proxyUnreachable("127.0.0.1:1: Connection refused"),
          AdviceStory(
            way: .program, variables: ["http_proxy": "http://127.0.0.1:1"],
            mendedVariables: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"],
            script: AdviceServer.taking),
          AdviceStory(
            way: .program, url: "http://upload.invalid/u",
            variables: ["http_proxy": "http://127.0.0.1:1"],
            mendedVariables: ["http_proxy": "SERVER"], after: ["http://upload.invalid/u"],
            script: AdviceServer.taking))
      ]
    case .connectionLost:
      [
        AdviceRow(
          .connectionLost("Broken pipe"),
          AdviceStory(files: large, early: .cut, script: AdviceServer.taking))
      ]
    case .stalled:
      [
        AdviceRow(
          .stalled(seconds: 1),
          AdviceStory(
            way: .program, files: large, options: ["--timeout", "1"], early: .stall,
            script: AdviceServer.taking))
      ]
    case .outOfTime:
      [
        AdviceRow(
          .outOfTime(seconds: 1),
          AdviceStory(
            way: .program, files: "head -c 9000000 /dev/urandom > a.bin", table: "deadline = 1",
            early: .stall, mendedTable: "deadline = 60", script: AdviceServer.taking))
      ]
    // The advice is that of a lost connection, whose row carries it out.
    case .network: [AdviceRow(.network("Stream error in the HTTP/2 framing layer"))]
    case .selfSigned:
      [
        AdviceRow(
          Failure(.insecure("self-signed certificate"), attempts: 1),
          .test("aPinnedServerTakesUploadsAndAnImpostorDoesNot", in: "Program/TrustTests"))
      ]
    case .insecure:
      [
        AdviceRow(
          Failure(.insecure("unable to get local issuer certificate"), attempts: 1),
          .test("anAuthorityThatIsNamedIsTrusted", in: "Program/TrustTests"))
      ]
    default: []
    }
  }
}
