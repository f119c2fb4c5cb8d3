import UploadModel

/// The rows about what servers say.
extension AdviceTable {
  static let refusals: [AdviceRow] = passing + mended + doubtful

  /// It passes by itself, or after somebody has mended the server.
  private static let passing: [AdviceRow] =
    [503, 413, 411, 415, 507, 418].map { AdviceRow.passing($0, "") }
    + [
      (400, ""), (400, "the album is closed"), (422, "Storage quota exceeded"),
      (400, "The file is too large"), (400, "Unsupported file type"),
    ].map { AdviceRow.passing($0.0, $0.1) }

  private static let mended: [AdviceRow] = [
    .refused(
      422, "File already exists",
      AdviceStory(
        url: "SERVER/u", adding: ["--file-name", "b.bin"],
        script: { request, _ in
          String(decoding: request.body, as: UTF8.self).contains("filename=\"a.bin\"")
            ? .reply("422 No", body: "File already exists") : .take
        })),
    .refused(
      422, "File already exists", { $0.mayMeetRemnant = true },
      AdviceStory(
        table: "retry = { attempts = 2, base = \"0s\" }\nidempotent = true", before: 1,
        clears: true,
        script: AdviceServer.breakingOffOnce("422 No", body: "File already exists"))),
    .refused(
      401,
      AdviceStory(
        table: "headers = { Authorization = \"Bearer old\" }",
        mendedTable: "headers = { Authorization = \"Bearer new\" }",
        script: AdviceServer.failing(
          "401 No", unless: { $0.headers["authorization"] == "Bearer new" }))),
    .refused(
      403,
      AdviceStory(
        mendedTable: "auth = { bearer = \"new\" }",
        script: AdviceServer.failing(
          "403 No", unless: { $0.headers["authorization"] == "Bearer new" }))),
    .refused(
      404,
      AdviceStory(
        mendedURL: "SERVER/v", after: ["/v"],
        script: AdviceServer.failing("404 No", unless: { $0.path == "/v" }))),
    .refused(
      405,
      AdviceStory(
        mendedTable: "method = \"PUT\"",
        script: AdviceServer.failing("405 No", unless: { $0.method == "PUT" }))),
    .refused(
      407,
      AdviceStory(
        way: .program, url: "http://upload.invalid/u", variables: ["http_proxy": "SERVER"],
        mendedVariables: ["http_proxy": "http://me:secret@PLACE"],
        after: ["http://upload.invalid/u"],
        script: AdviceServer.failing(
          "407 No\r\nProxy-Authenticate: Basic realm=\"p\"",
          unless: { $0.headers["proxy-authorization"] == "Basic bWU6c2VjcmV0" }))),
    .refused(
      503, "", { $0.retryAfter = 1 },
      AdviceStory(
        table: "retry_after = { header = \"X-Wait\" }",
        script: AdviceServer.failing("503 Busy\r\nX-Wait: 1"))),
    .refused(
      400, #"{"e":"busy"}"#, { $0.isTemporary = true },
      AdviceStory(
        table: #"retry = { attempts = 1, when = [{ pointer = "/e", is = "busy" }] }"#,
        script: AdviceServer.failing("400 No", body: #"{"e":"busy"}"#))),
    .refused(
      403, "<Error><Code>RequestTimeTooSkewed</Code></Error>",
      AdviceStory(
        script: AdviceServer.failing(
          "403 No", body: "<Error><Code>RequestTimeTooSkewed</Code></Error>"))),
    .refused(
      400, wrongRegion,
      AdviceStory(
        table: sigV4("a"), variables: ["KEY": "k"], mendedTable: sigV4("eu-north-1"),
        script: { request, _ in
          request.headers["authorization"]?.contains("/eu-north-1/s3/") == true
            ? .take : .reply("400 No", body: wrongRegion)
        })),
    .refused(
      403, "", { $0.step = .existence },
      AdviceStory(
        table: "exists = { url = \"SERVER/has\", method = \"GET\" }",
        mendedTable: "concurrency = 1",
        script: AdviceServer.failing("403 No", unless: { $0.method == "POST" }))),
    .refused(
      422, "", { $0.step = .wait },
      AdviceStory(
        table: "wait = { url = \"SERVER/state\", every = \"0.1s\" }",
        script: { request, isMended in
          switch (request.method, isMended) {
          case ("POST", false): .reply("202 Accepted")
          case ("POST", true): .take
          case (_, true): .reply("200 OK")
          default: .reply("422 No")
          }
        })),
  ]

  /// The file may be there, and is not sent again unless somebody has looked.
  private static let doubtful: [AdviceRow] = [
    .refused(
      500, "", { $0.arrival = .unclear },
      AdviceStory(before: 1, script: AdviceServer.failing(.reply("500 Oops", stores: true)))),
    .refused(
      200, "", { $0.arrival = .unclear },
      AdviceStory(
        table: "response = { ok = 201 }", before: 1,
        script: AdviceServer.failing(.reply("200 OK", stores: true)))),
    .refused(
      200,
      AdviceStory(
        url: "SERVER/u", table: "method = \"PUT\"\nbody = \"binary\"\nresponse = { ok = 201 }",
        script: AdviceServer.failing("200 OK"))),
  ]

  private static let wrongRegion =
    "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-north-1</Region></Error>"

  private static func sigV4(_ region: String) -> String {
    "method = \"PUT\"\nbody = \"binary\"\nauth = { sigv4 = { region = \"\(region)\", service = \"s3\", key = \"k\", secret = \"{env.KEY}\" } }"
  }

  static func redirects(_ kind: AdviceKind) -> [AdviceRow] {
    func moved(_ status: Int, to location: String, url: String = "SERVER/v") -> AdviceStory {
      AdviceStory(
        mendedURL: url, after: ["/v"],
        script: { request, _ in
          request.path == "/v"
            ? .take
            : .reply(
              "\(status) There\r\nLocation: \(location)"
                .replacing("OTHER", with: "http://\(request.headers["host"] ?? "")")
                .replacing("127.0.0.1", with: "localhost"))
        })
    }
    return switch kind {
    case .losesBody:
      [
        AdviceRow(.redirected(to: "/v", .losesBody), status: 301, moved(301, to: "/v"))
      ]
    case .otherOrigin:
      [
        AdviceRow(
          .redirected(to: "http://b.example/v", .otherOrigin), status: 307,
          moved(307, to: "OTHER/v", url: "OTHER/v"))
      ]
    case .tooMany:
      [AdviceRow(.redirected(to: "/u", .tooMany), status: 308, moved(308, to: "/u"))]
    case .noLocation:
      [AdviceRow(.redirected(to: nil, .noLocation), status: 307, moved(307, to: ""))]
    case .badLocation:
      [
        AdviceRow(
          .redirected(to: "ftp://h/", .badLocation), status: 307, moved(307, to: "ftp://h/"))
      ]
    case .otherRegion:
      [
        AdviceRow(
          .redirected(to: "localhost in the region eu-north-1", .otherRegion), status: 301,
          AdviceStory(
            table: sigV4("a"), variables: ["KEY": "k"], mendedURL: "OTHER/u",
            mendedTable: sigV4("eu-north-1"),
            script: { request, _ in
              let fits =
                request.headers["authorization"]?.contains("/eu-north-1/s3/") == true
                && request.headers["host"]?.hasPrefix("localhost") == true
              let place =
                "<Error><Endpoint>localhost</Endpoint><Region>eu-north-1</Region></Error>"
              return fits ? .take : .reply("301 Moved", body: place)
            }))
      ]
    case .unencrypted: [.person(.unencrypted("http://a.example/files/1"), status: 201)]
    default: []
    }
  }

  static func answers(_ kind: AdviceKind) -> [AdviceRow] {
    switch kind {
    case .notHTTP:
      [
        AdviceRow(
          .notHTTP("the server answered something that is not HTTP"),
          AdviceStory(script: AdviceServer.failing(.raw("SSH-2.0-x\r\n"))))
      ]
    case .rejected:
      [
        AdviceRow(
          .rejected("rc is 7"), status: 200,
          AdviceStory(
            table:
              "response = { fail_when = [{ pointer = \"/rc\", not = 0 }], unreadable = \"ok\" }",
            script: AdviceServer.failing("200 OK", body: #"{"rc":7}"#)))
      ]
    case .unusable:
      [
        AdviceRow(
          .unusable("the ticket has no /url"), status: 200,
          AdviceStory(
            url: "", table: ticket("/address"), mendedTable: ticket("/url"), after: ["/v"],
            script: { request, _ in
              request.path == "/ticket" ? .reply("200 OK", body: #"{"url":"/v"}"#) : .take
            }))
      ]
    case .differs:
      [
        AdviceRow(
          .differs("its sha-256 is 00, and the file's is 11"), status: 200,
          AdviceStory(
            table: "response = { verify = { header = \"X-Sum\", sum = \"sha256\" } }", before: 1,
            clears: true,
            script: AdviceServer.failing(
              .reply("200 OK\r\nX-Sum: \(String(repeating: "0", count: 64))", stores: true))))
      ]
    case .noFolder:
      [
        AdviceRow(
          .noFolder("/d", "403 Forbidden"), status: 403,
          AdviceStory(
            url: "SERVER/d/u", table: "method = \"PUT\"\nbody = \"binary\"\nfolders = \"webdav\"",
            after: ["/d/u"],
            script: { request, isMended in
              isMended ? .take : .reply(request.method == "PUT" ? "409 No" : "403 No")
            }))
      ]
    case .notRecorded:
      [
        AdviceRow(
          .notRecorded("503 Busy"),
          AdviceStory(
            table: "server = { create = { url = \"SERVER/log\", json = { a = 1 } } }", before: 1,
            script: { request, _ in request.path == "/u" ? .take : .reply("422 No") })),
        {
          var failure = Failure(.notRecorded("503 Busy"), attempts: 1)
          failure.step = .confirmation
          return AdviceRow(
            failure,
            AdviceStory(
              url: "",
              table: ticket("/url")
                + "\n[targets.t.ticket.confirm]\nurl = \"/done\"\n", before: 1, evenArrived: true,
              after: ["/v"],
              script: { request, isMended in
                switch (request.path, isMended) {
                case ("/ticket", false):
                  .reply("200 OK", body: #"{"url":"/v","done":"/done"}"#)
                case ("/ticket", true): .reply("200 OK", body: #"{"there":true}"#)
                case ("/v", _): .take
                default: .reply("422 No")
                }
              }))
        }(),
      ]
    case .outcomeUnknown:
      [
        AdviceRow(
          .outcomeUnknown("Recv failure"),
          AdviceStory(before: 1, script: AdviceServer.failing(.hangUp))),
        AdviceRow(
          .outcomeUnknown("a gateway answered"), status: 502,
          AdviceStory(before: 1, script: AdviceServer.failing(.reply("502 Bad", stores: true)))),
        AdviceRow(
          .outcomeUnknown("it points to /done"), status: 302,
          AdviceStory(
            before: 1,
            script: AdviceServer.failing(.reply("302 Found\r\nLocation: /done", stores: true)))),
      ]
    default: []
    }
  }

  /// The server has something at the address.
  static let nameTaken = AdviceRow(
    .taken(TakenName("a.bin", size: 0)),
    AdviceStory(
      url: "SERVER/{file.name}",
      table: "method = \"PUT\"\nbody = \"binary\"\nif_there = \"ask\"",
      mendedTable: "method = \"PUT\"\nbody = \"binary\"\nif_there = \"rename\"",
      after: ["/a%20%282%29.bin"],
      script: { request, _ in
        switch (request.method, request.path) {
        case ("HEAD", "/a.bin"): .reply("200 OK")
        case ("HEAD", _): .reply("404 No")
        default: .take
        }
      }))

  private static func ticket(_ place: String) -> String {
    """
    [targets.t.ticket]
    url = "SERVER/ticket"
    upload_url = "\(place)"
    is_there_when = [{ pointer = "/there", is = true }]
    """
  }

  static func credentials(_ kind: AdviceKind) -> [AdviceRow] {
    func bearing(_ token: String) -> AdviceServer.Script {
      AdviceServer.failing("401 No", unless: { $0.headers["authorization"] == "Bearer \(token)" })
    }
    let pass = "auth = { bearer_command = [\"./pass\"] }"
    return switch kind {
    case .noToken:
      [
        AdviceRow(
          .denied("pass ended with status 1"),
          AdviceStory(
            files: "echo 1 > a.bin; printf '#!/bin/sh\\nexit 1\\n' > pass; chmod 700 pass",
            table: pass, mend: "printf '#!/bin/sh\\necho new\\n' > pass", script: bearing("new")))
      ]
    case .denied:
      [
        AdviceRow(
          .denied("even with a new token from pass"), status: 401,
          AdviceStory(
            files: "echo 1 > a.bin; printf '#!/bin/sh\\necho old\\n' > pass; chmod 700 pass",
            table: pass, mend: "printf '#!/bin/sh\\necho new\\n' > pass", script: bearing("new")),
          AdviceStory(
            way: .screen,
            files: "echo 1 > a.bin; printf '#!/bin/sh\\necho old\\n' > pass; chmod 700 pass",
            table: pass, mend: "printf '#!/bin/sh\\necho new\\n' > pass", script: bearing("new")))
      ]
    case .anonymous:
      [
        AdviceRow(
          .anonymous, status: 401,
          AdviceStory(mendedTable: "auth = { bearer = \"x\" }", script: bearing("x")),
          AdviceStory(adding: ["--header", "Authorization: Bearer x"], script: bearing("x")),
          AdviceStory(
            table: "[targets.other]\nurl = \"SERVER/u\"\nauth = { bearer = \"x\" }",
            command: ["push", "--retry-failed", "r.json", "--to", "other"], script: bearing("x")))
      ]
    case .nonceExpired:
      [
        AdviceRow(
          .nonceExpired, status: 401,
          AdviceStory(
            table: "auth = { digest = { user = \"me\", password = \"{env.WORD}\" } }",
            variables: ["WORD": "w"],
            script: { request, isMended in
              let isSaid = request.headers["authorization"]?.hasPrefix("Digest ") == true
              return isSaid && isMended
                ? .take
                : .reply(
                  "401 Who\r\nWWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"1\", stale=\(isSaid)"
                )
            }))
      ]
    default: []
    }
  }
}
