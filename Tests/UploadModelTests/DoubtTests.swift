import Foundation
import JSONText
import TestSupport
import Testing

@testable import UploadModel

@Suite("A reply that says no with a status that says yes")
struct DoubtTests {
  /// A reply as a server's documentation shows it.
  struct Sample: Sendable, CustomTestStringConvertible {
    var server: String
    var text: String
    var type = "application/json"
    /// What the file's row says; nil if nothing is doubtful.
    var words: String?
    /// Where the rule looks that finds it.
    var rule = ""
    var testDescription: String { server }
  }

  private static func judged(
    _ sample: Sample, by target: Target = Target(name: "t", url: url)
  ) -> Verdict {
    Verdict.judge(
      TransferEnd(
        url: url, status: 200, reply: Reply(text: sample.text, mediaType: sample.type)),
      target: target, attempt: 1, redirects: 0, now: Date(timeIntervalSince1970: 0))
  }

  private static let url = URL(string: "https://files.example.org/upload") ?? URL(filePath: "/")

  private static func receipt(
    _ sample: Sample, by target: Target = Target(name: "t", url: url)
  ) -> Receipt? {
    if case .delivered(let receipt) = judged(sample, by: target) { receipt } else { nil }
  }

  @Test("the replies of public services to a file that they took raise no doubt", arguments: good)
  func noFalseAlarm(_ sample: Sample) throws {
    let receipt = try #require(Self.receipt(sample))
    #expect(receipt.doubt == nil)
  }

  @Test("what says no is found, and its words are shown", arguments: bad)
  func found(_ sample: Sample) throws {
    let receipt = try #require(Self.receipt(sample))
    #expect(receipt.doubt == sample.words)
    #expect(receipt.words == "200, but the reply says: \(sample.words ?? "")")
    // The rule that comes of it finds the reply, takes its words, and lets the same server's good reply pass.
    let rule = try #require(Doubt(in: receipt, isOfBatch: false)).rule
    #expect(rule.place.source == sample.rule)
    var target = Target(name: "t", url: Self.url)
    target.response.failures = [rule]
    guard case .failed(let failure) = Self.judged(sample, by: target),
      case .rejected(let said) = failure.cause
    else {
      Issue.record("not a failure by \(rule)")
      return
    }
    #expect(said == sample.words || rule.place.pattern != nil || rule.message == nil)
    for other in Self.good where other.server == sample.server {
      #expect(Self.receipt(other, by: target) != nil)
    }
  }

  @Test("a page is doubtful where JSON was expected, and where it asks for a password")
  func pages() throws {
    let page = Sample(
      server: "a portal", text: "\n<!DOCTYPE html><html><title>Please sign in</title></html>",
      type: "text/html")
    #expect(Self.receipt(page)?.doubt == nil)
    var target = Target(name: "t", url: Self.url)
    target.response.url = ReplyValue(.pointer(try JSONPointer("/link")))
    #expect(Self.receipt(page, by: target)?.doubt == "Please sign in")
    target = Target(name: "t", url: Self.url)
    target.headers = [Target.Field(name: "accept", value: Template(literal: "application/json"))]
    let receipt = try #require(Self.receipt(page, by: target))
    #expect(receipt.doubt == "Please sign in")
    let rule = try #require(Doubt(in: receipt, isOfBatch: false)).rule
    target.response.failures = [rule]
    #expect(Self.receipt(page, by: target) == nil)
    #expect(Self.receipt(Self.good[0], by: target) != nil)
    // The target says what a reply means that is not JSON.
    target.response.failures = []
    target.response.unreadable = .ok
    #expect(Self.receipt(page, by: target)?.doubt == nil)
  }

  @Test("a rule of the target that judges the reply has the last word")
  func ownRules() throws {
    let sample = Sample(server: "own", text: #"{"rc": 0, "ok": false, "error": "quota exceeded"}"#)
    var target = Target(name: "t", url: Self.url)
    #expect(Self.receipt(sample, by: target)?.doubt == "quota exceeded")
    target.response.failures = [
      FailureRule(.pointer(try JSONPointer("/rc")), test: .differs(.integer(0)))
    ]
    #expect(Self.receipt(sample, by: target)?.doubt == nil)
    // A rule about a member that the reply does not have says nothing about it.
    target.response.failures = [
      FailureRule(.pointer(try JSONPointer("/code")), test: .equals(.integer(1)))
    ]
    #expect(Self.receipt(sample, by: target)?.doubt == "quota exceeded")
    // Neither does an expression that means failure and is not found.
    target.response.failures = [
      FailureRule(.pattern(try Pattern("wrong")), test: .equals(.bool(true)))
    ]
    #expect(Self.receipt(sample, by: target)?.doubt == "quota exceeded")
    target.response.failures = [
      FailureRule(.pattern(try Pattern("rc")), test: .differs(.bool(true)))
    ]
    #expect(Self.receipt(sample, by: target)?.doubt == nil)
  }

  @Test("a checksum that matches, a file that was there, and the end of a wait leave no doubt")
  func proofs() throws {
    let no = Reply(text: #"{"ok": false}"#, mediaType: "application/json")
    var end = TransferEnd(url: Self.url, status: 200, reply: no)
    end.digests = ContentDigests([.sha256: String(repeating: "ab", count: 32)])
    end.headers = [
      "repr-digest": "sha-256=:\(Data(repeating: 0xab, count: 32).base64EncodedString()):"
    ]
    var target = Target(name: "t", url: Self.url)
    target.after.way = .delete
    target.after.finals = [200]
    func receipt() -> Receipt? {
      guard
        case .delivered(let receipt) = Verdict.judge(
          end, target: target, attempt: 1, redirects: 0, now: Date())
      else { return nil }
      return receipt
    }
    #expect(receipt()?.verified == "sha-256" && receipt()?.doubt == nil)
    end.headers = [:]
    let doubtful = try #require(receipt())
    #expect(doubtful.doubt == "ok is false")
    func disposal(_ receipt: Receipt) -> Disposal? {
      target.after.disposal(for: receipt, after: end, of: target, isRedirected: false)
    }
    // A status that proves that a server has a file proves nothing if the reply says no.
    #expect(disposal(doubtful) == nil)
    var certain = doubtful
    certain.doubt = nil
    #expect(disposal(certain) != nil)
    target.response.duplicates = [
      ReplySign(FailureRule(.pointer(try JSONPointer("/ok")), test: .equals(.bool(false))))
    ]
    #expect(receipt()?.wasThere == true && receipt()?.doubt == nil)
  }

  @Test("of the files of a request, only those are doubtful whose own part says no")
  func batches() throws {
    let reply = Reply(
      text: #"{"files": [{"name": "a"}, {"name": "b", "error": {"message": "too big"}}]}"#,
      mediaType: "application/json")
    func doubt(_ index: Int, of count: Int) -> Doubt? {
      Doubt(
        in: reply, JSONValue(text: reply.text), of: TransferEnd.Place(index, of: count),
        expectsJSON: false)
    }
    #expect(doubt(0, of: 2) == nil)
    #expect(doubt(1, of: 2)?.words == "too big")
    #expect(doubt(1, of: 2)?.rule.place.source == "/files/*/error/message")
    // Of a list that does not fit the files, every element counts.
    #expect(doubt(0, of: 1)?.rule.place.source == "/files/1/error/message")
    #expect(doubt(2, of: 3)?.words == "too big")
  }

  /// What is found where every reply is read, and where only those are read that may have one of the names.
  private static func found(in text: String) -> (always: Doubt?, quickly: Doubt?) {
    let reply = Reply(text: text, mediaType: "application/json")
    return (
      Doubt(in: reply, JSONValue(text: text), expectsJSON: false),
      Doubt(in: reply, ReplyRules().read(reply).document, expectsJSON: false)
    )
  }

  @Test("a reply is read if it may have a name that tells, however the name is written")
  func quickLook() throws {
    for sample in Self.good + Self.bad where sample.text.first == "{" || sample.text.first == "[" {
      let (always, quickly) = Self.found(in: sample.text)
      #expect(always == quickly, "\(sample)")
    }
    // The fourth and the fifth are an escape and the sign for kelvin, the lower case of which is a k.
    for name in ["ok", "OK", "Ok", #"\u006fk"#, "o\u{212A}", "success", "ERRORS"] {
      let (always, quickly) = Self.found(in: #"{"id": 1, "\#(name)": false}"#)
      #expect(always != nil || name == "ERRORS", "\(name)")
      #expect(always == quickly, "\(name)")
    }
    let other = Reply(text: #"{"id": "a", "okay": false, "xerror": 1, "": "statu"}"#)
    #expect(ReplyRules().read(other).document == nil)
  }

  @Test("the quick look never changes what is found")
  func quickLookProperty() {
    var random = SplitMix64(seed: 63)
    func name() -> String {
      let name =
        ["ok", "success", "status", "error", "errors", "id", "data", "okay", "k"]
        .randomElement(using: &random) ?? ""
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return name.uppercased()
      case 1: return name.replacing("o", with: #"\u006f"#)
      case 2: return name.replacing("k", with: "\u{212A}")
      case 3: return name.replacing("s", with: "ſ")
      default: return name
      }
    }
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
      case 0: return "false"
      case 1: return "null"
      case 2: return "500"
      case 3: return #""quota exceeded""#
      case 4: return #""\#(name())""#
      case 5: return #""a \" b \\""#
      case 6: return "[\(value(depth - 1)), \(value(depth - 1))]"
      default: return object(depth - 1)
      }
    }
    func object(_ depth: Int) -> String {
      let members = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
        "\"\(name())\"\([":", " : ", "\n:\t"].randomElement(using: &random) ?? ":")\(value(depth))"
      }
      return "{\(members.joined(separator: ", "))}"
    }
    var doubtful = 0
    for _ in 0..<4_000 {
      let text = object(3)
      let (always, quickly) = Self.found(in: text)
      #expect(always == quickly, "\(text)")
      if always != nil { doubtful += 1 }
    }
    #expect(doubtful > 400)
  }

  @Test("a reply that was kept only in part still gives a page's rule, and none for JSON")
  func cut() throws {
    var receipt = Receipt(status: 200, reply: Reply(text: #"{"ok": false, "#, isCut: true))
    receipt.doubt = "ok is false"
    #expect(Doubt(in: receipt, isOfBatch: false) == nil)
    receipt.reply.text = "<html><form><input type=password><p>and so"
    #expect(Doubt(in: receipt, isOfBatch: false) != nil)
  }

  @Test("a reply that broke off says nothing itself, and gives no rule")
  func brokenOff() {
    var receipt = Receipt(status: 200, reply: Reply(text: "<html><input type=password>"))
    receipt.doubt = "the reply broke off after 3 of 100 bytes"
    #expect(receipt.words == "200, but the reply broke off after 3 of 100 bytes")
    #expect(Doubt(in: receipt, isOfBatch: false) == nil)
  }

  /// A success whose reply ended early: by what, with which fields, and what is said of that.
  struct Broken: Sendable {
    var trouble: Failure.Cause = .connectionLost("reset")
    var headers: [String: String] = [:]
    var bytes: Int? = 4
    var status = 200
    var isFramed = false
    var words: String?
  }

  @Test(
    "a reply has broken off if something said that there would be more",
    arguments: [
      Broken(headers: ["content-length": "100"], words: "the reply broke off after 4 of 100 bytes"),
      Broken(
        trouble: .cancelled, headers: ["content-length": "9"],
        words: "the reply broke off after 4 of 9 bytes"),
      Broken(
        trouble: .stalled(seconds: 9), headers: ["content-length": "9"],
        words: "the reply broke off after 4 of 9 bytes"),
      // Hoist shows only the beginning of a long reply, but has counted all of it.
      Broken(
        headers: ["content-length": "500000"], bytes: 100_000,
        words: "the reply broke off after 100,000 of 500,000 bytes"),
      Broken(headers: ["transfer-encoding": "chunked"], words: "the reply broke off"),
      Broken(isFramed: true, words: "the reply broke off"),
      Broken(
        trouble: .network("stream"), headers: ["content-encoding": "gzip"], isFramed: true,
        words: "the reply broke off"),
      Broken(headers: ["content-length": "4"], isFramed: true),
      Broken(status: 204, isFramed: true),
      // The connection's end is the reply's, or the coding cannot be read, or the rest was not wanted.
      Broken(),
      Broken(
        trouble: .network("coding"), headers: ["content-encoding": "x", "content-length": "9"]),
      Broken(headers: ["content-length": "500000"], bytes: nil),
    ])
  func brokenOff(_ row: Broken) throws {
    let url = try #require(URL(string: "https://host/"))
    let text = String(repeating: "x", count: min(row.bytes ?? 0, 64))
    var end = TransferEnd(
      url: url, status: row.status, headers: row.headers,
      reply: Reply(text: text, isCut: row.bytes != text.utf8.count), trouble: row.trouble)
    (end.replyBytes, end.isReplyFramed) = (row.bytes, row.isFramed)
    #expect(end.breakOfReply == row.words)
  }

  @Test("words are one line, and no longer than a person reads")
  func longWords() {
    let long = String(repeating: "no ", count: 1_000)
    let found = Self.receipt(Sample(server: "", text: "{\"error\": \"a\\nb\\t \(long)\"}"))?.doubt
    #expect(found?.hasPrefix("a b no no") == true)
    #expect((found?.unicodeScalars.count ?? 0) <= 401)
  }
}

extension ReplyPlace {
  fileprivate var source: String {
    switch self {
    case .pointer(let pointer): pointer.description
    case .pattern(let pattern): pattern.source
    case .header(let name): name
    }
  }
}

extension DoubtTests {
  /// Replies to a file that was taken.
  static let good: [Sample] = [
    Sample(
      server: "imgur",
      text: #"""
        {"status":200,"success":true,"data":{"id":"JRBePDz","deletehash":"EvHVZkhJhdNClgY",
        "account_id":null,"in_gallery":false,"is_ad":false,"favorite":false,"section":null,
        "nsfw":null,"error":null,"link":"https://i.imgur.com/JRBePDz.jpeg"}}
        """#),
    Sample(
      server: "Slack files.completeUploadExternal",
      text: #"""
        {"ok":true,"files":[{"id":"F123ABC456","title":"slack-test",
        "permalink":"https://x.slack.com/files/U1/F1/a"}],"response_metadata":{"warnings":[
        "missing_charset"]}}
        """#),
    Sample(
      server: "Telegram",
      text: #"""
        {"ok":true,"result":{"message_id":12,"from":{"id":1,"is_bot":true},"chat":{"id":5,
        "type":"private"},"date":1700000000,"document":{"file_name":"a.txt","file_id":"BQAC"}}}
        """#),
    Sample(
      server: "Discord webhook",
      text: #"""
        {"id":"1","type":0,"content":"","channel_id":"2","attachments":[{"id":"3",
        "filename":"a.txt","size":3,"url":"https://cdn.discordapp.com/a"}],"embeds":[],
        "pinned":false,"tts":false,"flags":0}
        """#),
    Sample(
      server: "Cloudinary",
      text: #"""
        {"asset_id":"3515","public_id":"sample","version":1312461204,"type":"upload",
        "placeholder":false,"etag":"7b","url":"http://res.cloudinary.com/demo/sample.jpg",
        "secure_url":"https://res.cloudinary.com/demo/sample.jpg","moderation":[{
        "status":"pending","kind":"manual"}]}
        """#),
    Sample(
      server: "GitHub release asset",
      text: #"""
        {"url":"https://api.github.com/assets/1","id":1,"name":"example.zip",
        "label":"short description","state":"uploaded","content_type":"application/zip",
        "size":1024,"download_count":42,"uploader":{"login":"octocat","type":"User",
        "site_admin":false}}
        """#),
    Sample(
      server: "GitLab project upload",
      text: #"""
        {"id":5,"alt":"dk","url":"/uploads/66dbcd21ec5d24ed6ea225176098d52b/dk.png",
        "full_path":"/-/project/1234/uploads/66/dk.png","markdown":"![dk](/uploads/66/dk.png)"}
        """#),
    Sample(
      server: "GitLab package file", text: #"{"message":"201 Created"}"#),
    Sample(
      server: "GitLab commit",
      text: #"""
        {"id":"ed899","short_id":"ed899","title":"x","parent_ids":[],"status":null,
        "last_pipeline":{"id":8,"status":"failed"},"stats":{"additions":2}}
        """#),
    Sample(
      server: "Gitea release attachment",
      text: #"""
        {"id":1,"name":"a.zip","size":5,"download_count":0,"created_at":"2026-01-01T00:00:00Z",
        "uuid":"c5","browser_download_url":"https://gitea.example/attachments/c5"}
        """#),
    Sample(
      server: "Jira attachment",
      text: #"""
        [{"self":"https://x.atlassian.net/rest/api/3/attachment/10001","id":"10001",
        "filename":"a.txt","author":{"active":true,"accountType":"atlassian"},"size":23123,
        "mimeType":"text/plain","content":"https://x/10001"}]
        """#),
    Sample(
      server: "Confluence attachment",
      text: #"""
        {"results":[{"id":"att1","type":"attachment","status":"current","title":"a.txt",
        "extensions":{"fileSize":5}}],"start":0,"limit":50,"size":1,"_links":{}}
        """#),
    Sample(
      server: "Zendesk",
      text: #"""
        {"upload":{"token":"6bk3gql82em5nmf","expires_at":"2026-02-02T00:00:00Z","attachment":{
        "id":498483,"file_name":"crash.log","size":2532,"malware_scan_result":"not_scanned",
        "malware_access_override":false,"thumbnails":[]}}}
        """#),
    Sample(server: "Nextcloud WebDAV", text: "", type: "text/html"),
    Sample(
      server: "Nextcloud OCS share",
      text: #"""
        {"ocs":{"meta":{"status":"ok","statuscode":200,"message":"OK"},"data":{"id":"1",
        "url":"https://c/s/x"}}}
        """#),
    Sample(
      server: "WordPress media",
      text: #"""
        {"id":21,"date":"2026-01-01T00:00:00","status":"inherit","type":"attachment",
        "comment_status":"open","ping_status":"closed","source_url":"https://e/wp-content/a.jpg",
        "media_details":{"width":1,"sizes":{}},"meta":[]}
        """#),
    Sample(
      server: "WordPress async-upload",
      text: #"""
        {"success":true,"data":{"id":21,"title":"a","filename":"a.jpg","status":"inherit",
        "uploading":false}}
        """#,
      type: "text/html"),
    Sample(
      server: "Mastodon",
      text: #"""
        {"id":"22348641","type":"image","url":"https://files.mastodon.example/a.png",
        "preview_url":"https://f","remote_url":null,"text_url":"https://m","meta":{"focus":{
        "x":0},"original":{"width":640}},"description":"test uploaded via api","blurhash":"UF"}
        """#),
    Sample(
      server: "Dropbox",
      text: #"""
        {".tag":"file","name":"Prime_Numbers.txt","id":"id:a4ayc",
        "client_modified":"2015-05-12T15:50:38Z","rev":"a1c10ce0dd78","size":7212,
        "is_downloadable":true,"content_hash":"e3b0","property_groups":[]}
        """#),
    Sample(
      server: "Box",
      text: #"""
        {"total_count":1,"entries":[{"id":"12345","etag":"1","type":"file","sha1":"85136C79",
        "item_status":"active","shared_link":null}]}
        """#),
    Sample(
      server: "S3 POST",
      text: #"""
        <?xml version="1.0" encoding="UTF-8"?><PostResponse><Location>https://b.s3/a</Location>
        <Bucket>b</Bucket><Key>a</Key><ETag>"5d41"</ETag></PostResponse>
        """#,
      type: "application/xml"),
    Sample(
      server: "S3 complete multipart",
      text: #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <CompleteMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Location>
        http://b.s3/a</Location><Bucket>b</Bucket><Key>a</Key><ETag>"3858-3"</ETag>
        </CompleteMultipartUploadResult>
        """#,
      type: "application/xml"),
    Sample(server: "Azure Put Blob", text: "", type: ""),
    Sample(
      server: "GCS JSON",
      text: #"""
        {"kind":"storage#object","id":"b/a/1",
        "selfLink":"https://www.googleapis.com/storage/v1/b/b/o/a","name":"a","bucket":"b",
        "generation":"1","size":"5","md5Hash":"XUFAKrxLKna5cZ2REBfFkg==",
        "storageClass":"STANDARD"}
        """#),
    Sample(
      server: "Google Drive",
      text: #"{"kind":"drive#file","id":"1x","name":"Untitled","mimeType":"text/plain"}"#),
    Sample(
      server: "OneDrive",
      text: #"""
        {"id":"0123456789abc","name":"a.docx","size":35000,"file":{"mimeType":"text/plain",
        "hashes":{"quickXorHash":"x"}},"lastModifiedBy":{"user":{"displayName":"A"}}}
        """#),
    Sample(
      server: "transfer.sh", text: "https://transfer.sh/66nb8/hello.txt", type: "text/plain"),
    Sample(server: "0x0.st", text: "https://0x0.st/HXa.txt\n", type: "text/plain"),
    Sample(
      server: "catbox", text: "https://files.catbox.moe/x3x9z1.png", type: "text/html"),
    Sample(
      server: "file.io",
      text: #"""
        {"success":true,"status":200,"id":"f5d2","key":"2ojE41","path":"/","nodeType":"file",
        "name":"a.txt","title":null,"description":null,"size":5,"link":"https://file.io/2ojE41",
        "private":false,"downloads":0,"maxDownloads":1,"autoDelete":true,"planId":0,
        "screeningStatus":"pending"}
        """#),
    Sample(
      server: "gofile",
      text: #"""
        {"status":"ok","data":{"code":"Z19n9a","downloadPage":"https://gofile.io/d/Z19n9a",
        "fileId":"1","name":"a.txt","md5":"d4"}}
        """#),
    Sample(server: "pixeldrain", text: #"{"success":true,"id":"abc123"}"#),
    Sample(
      server: "imgbb",
      text: #"""
        {"data":{"id":"2ndCYJK","title":"c1f6","url_viewer":"https://ibb.co/2ndCYJK",
        "url":"https://i.ibb.co/a.gif","width":"1","size":"42","expiration":"0","image":{
        "filename":"c1.gif","extension":"gif"},"delete_url":"https://ibb.co/x"},"success":true,
        "status":200}
        """#),
    Sample(
      server: "freeimage.host",
      text: #"""
        {"status_code":200,"success":{"message":"image uploaded","code":200},"image":{
        "name":"example","extension":"png","size":53237,"nsfw":null,"status":1,
        "url":"http://f/a.png"},"status_txt":"OK"}
        """#),
    Sample(
      server: "Chevereto before 4",
      text: #"""
        {"status_code":200,"success":{"message":"file uploaded","code":200},"error":null,"image":{
        "name":"a"},"status_txt":"OK"}
        """#),
    Sample(
      server: "Sentry release file",
      text: #"""
        {"id":"1","name":"/demo/readme.txt","dist":null,"headers":{"Content-Type":"text/plain"},
        "size":12,"sha1":"2ef7","dateCreated":"2026-01-01T00:00:00Z"}
        """#),
    Sample(
      server: "Sentry assemble",
      text: #"{"5a88":{"state":"created","missingChunks":[]},"detail":null}"#),
    Sample(
      server: "VirusTotal",
      text: #"""
        {"data":{"type":"analysis","id":"NjY0","links":{
        "self":"https://www.virustotal.com/api/v3/analyses/NjY0"}}}
        """#),
    Sample(
      server: "VirusTotal 2",
      text: #"""
        {"permalink":"https://www.virustotal.com/file/52d/analysis","resource":"52d",
        "response_code":1,"scan_id":"52d-1273",
        "verbose_msg":"Scan request successfully queued, come back later for the report",
        "sha256":"52d"}
        """#),
    Sample(
      server: "Cloudflare Images",
      text: #"""
        {"result":{"id":"2cdc","filename":"a.jpg","requireSignedURLs":false,"variants":[]},
        "success":true,"errors":[],"messages":[]}
        """#),
    Sample(
      server: "Cloudflare Stream",
      text: #"""
        {"errors":[],"messages":[],"success":true,"result":{"uid":"ea95","readyToStream":false,
        "status":{"state":"inprogress","errorReasonCode":"","errorReasonText":""}}}
        """#),
    Sample(
      server: "pomf, uguu",
      text: #"""
        {"success":true,"files":[{"hash":"6c1e","name":"a.png","url":"https://a.uguu.se/x.png",
        "size":5,"dupe":false}]}
        """#),
    Sample(
      server: "lufi, PHP",
      text: #"{"name":"a.txt","type":"text/plain","tmp_name":"/tmp/phpx","error":0,"size":5}"#,
      type: "text/html"),
    Sample(
      server: "jQuery File Upload",
      text: #"""
        {"files":[{"name":"picture1.jpg","size":902604,"url":"http:\/\/e\/files\/picture1.jpg",
        "deleteType":"DELETE"}]}
        """#),
    Sample(
      server: "Fine Uploader", text: #"{"success":true,"error":"","uploadName":"a.txt"}"#,
      type: "text/plain"),
    Sample(
      server: "Plupload", text: #"{"jsonrpc" : "2.0", "result" : null, "id" : "id"}"#,
      type: "text/html"),
    Sample(
      server: "JSON-RPC", text: #"{"jsonrpc":"2.0","result":{"ok":1},"error":null,"id":7}"#),
    Sample(
      server: "TikTok",
      text: #"""
        {"data":{"publish_id":"v_inbox","upload_url":"https://open-upload"},"error":{"code":"ok",
        "message":"","log_id":"202210112248442CB9319E1FB30C1073F3"}}
        """#),
    Sample(
      server: "Kraken.io",
      text: #"""
        {"success":true,"file_name":"a.jpg","original_size":324520,"kraked_size":165358,
        "kraked_url":"http://dl.kraken.io/a.jpg"}
        """#),
    Sample(
      server: "Elasticsearch bulk",
      text: #"""
        {"took":30,"errors":false,"items":[{"index":{"_index":"test","_id":"1","result":"created",
        "status":201}}]}
        """#),
    Sample(
      server: "CKEditor", text: #"{"uploaded":1,"fileName":"foo.jpg","url":"/files/foo.jpg"}"#),
    Sample(
      server: "CKFinder",
      text: #"""
        {"fileName":"a.jpg","uploaded":1,"error":{"number":0,"message":""}}
        """#),
    Sample(
      server: "Editor.js",
      text: #"""
        {"success":1,"file":{"url":"https://www.tesla.com/roadster.jpg","status":"processing"}}
        """#),
    Sample(server: "nothing but ok", text: #"{"message":"ok"}"#),
    Sample(server: "nothing but success", text: #"{"status":"success","errors":[]}"#),
    Sample(server: "numbers as texts", text: #"{"success":"1","status":"200","error":"0"}"#),
    Sample(
      server: "Mattermost",
      text: #"""
        {"file_infos":[{"id":"x","user_id":"u","post_id":"","create_at":1700000000000,
        "delete_at":0,"name":"a","extension":"txt","size":5,"has_preview_image":false}],
        "client_ids":[]}
        """#),
    Sample(
      server: "Matrix", text: #"{"content_uri":"mxc://example.com/AQwafuaFswefuhsfAFAgsw"}"#),
    Sample(server: "Paperless", text: #""6d2b8a53-0f6d-4cbc-9c2e-7f2a""#),
    Sample(
      server: "Immich", text: #"{"id":"5b4f","status":"created","duplicate":false}"#),
    Sample(
      server: "Zenodo",
      text: #"""
        {"checksum":"md5:2942","filename":"a.csv","filesize":5,"id":"e1","status":"completed",
        "links":{"self":"https://zenodo.org/api/files/1"}}
        """#),
    Sample(
      server: "B2",
      text: #"""
        {"accountId":"a","action":"upload","bucketId":"b","contentLength":5,"contentSha1":"bae5",
        "fileId":"4_h","fileName":"typing_test.txt","fileRetention":{
        "isClientAuthorizedToRead":true,"value":null},"legalHold":{"value":null}}
        """#),
    Sample(
      server: "Artifactory",
      text: #"""
        {"repo":"r","path":"/a","created":"2026-01-01T00:00:00Z","checksums":{"sha1":"x"},
        "size":"5","errors":null}
        """#),
    Sample(
      server: "a page in reply to a form",
      text: #"""
        <!DOCTYPE html><html><head><title>Upload</title></head><body>Stored. <input type="file">
        </body></html>
        """#,
      type: "text/html"),
  ]

  /// Replies that say no.
  static let bad: [Sample] = [
    Sample(
      server: "the usual form", text: #"{"ok":false,"error":"quota exceeded"}"#,
      words: "quota exceeded", rule: "/ok"),
    Sample(server: "nothing but false", text: #"{"ok":false}"#, words: "ok is false", rule: "/ok"),
    Sample(
      server: "Slack", text: #"{"ok":false,"error":"not_authed"}"#, words: "not_authed",
      rule: "/ok"),
    Sample(
      server: "Telegram",
      text: #"{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}"#,
      words: "Bad Request: chat not found", rule: "/ok"),
    Sample(
      server: "imgur",
      text: #"""
        {"data":{"error":"File is over the size limit","request":"/3/upload","method":"POST"},
        "success":false,"status":400}
        """#,
      words: "File is over the size limit", rule: "/success"),
    Sample(
      server: "WordPress async-upload",
      text: #"""
        {"success":false,"data":{"message":"The uploaded file exceeds the limit.",
        "filename":"a.jpg"}}
        """#,
      type: "text/html", words: "The uploaded file exceeds the limit.", rule: "/success"),
    Sample(
      server: "success as a number", text: #"{"success":0,"msg":"no space left"}"#,
      words: "no space left", rule: "/success"),
    Sample(
      server: "success as a text", text: #"{"Success":"False","Message":"Try later"}"#,
      words: "Try later", rule: "/Success"),
    Sample(
      server: "JSend", text: #"{"status":"fail","data":{"title":"A title is required"}}"#,
      words: "A title is required", rule: "/status"),
    Sample(
      server: "JSend error", text: #"{"status":"error","message":"Unable to reach the database"}"#,
      words: "Unable to reach the database", rule: "/status"),
    Sample(
      server: "a status as a number", text: #"{"status":413,"message":"File too large"}"#,
      words: "File too large", rule: "/status"),
    Sample(
      server: "a status as a text", text: #"{"status":"401","message":"Bad credentials"}"#,
      words: "Bad credentials", rule: "/status"),
    Sample(
      server: "a status that is false",
      text: #"""
        {"status":false,"error":{"message":"The file is too small.","type":"ERROR_FILE_SIZE",
        "code":12}}
        """#,
      words: "The file is too small.", rule: "/status"),
    Sample(
      server: "an envelope", text: #"{"response":{"status":"error","reason":"locked"}}"#,
      words: "locked", rule: "/response/status"),
    Sample(
      server: "Tumblr", text: #"{"meta":{"status":401,"msg":"Unauthorized"},"response":[]}"#,
      words: "Unauthorized", rule: "/meta/status"),
    Sample(
      server: "an error as a text", text: #"{"error" : "file type not allowed"}"#,
      words: "file type not allowed", rule: #""error"\s*:\s*"\K[^"]+"#),
    Sample(
      server: "an error as an object",
      text: #"{"error":{"code":507,"message":"Insufficient storage","errors":[]}}"#,
      words: "Insufficient storage", rule: "/error/code"),
    Sample(
      server: "an error without a code", text: #"{"error":{"message":"denied"}}"#, words: "denied",
      rule: "/error/message"),
    Sample(
      server: "an error that is true", text: #"{"error":true,"message":"Virus found"}"#,
      words: "Virus found", rule: "/error"),
    Sample(
      server: "PHP's number of an error", text: #"{"name":"a","error":1,"size":0}"#,
      words: "error is 1", rule: "/error"),
    Sample(
      server: "GraphQL",
      text: #"{"data":{"upload":null},"errors":[{"message":"Not authorized","path":["upload"]}]}"#,
      words: "Not authorized", rule: "/errors/0"),
    Sample(
      server: "a list of texts", text: #"{"id":null,"errors":["The name is taken"]}"#,
      words: "The name is taken", rule: "/errors/0"),
    Sample(
      server: "Rails", text: #"{"errors":{"file":["is too big"]}}"#,
      words: "file: is too big", rule: "/errors/file"),
    Sample(
      server: "jQuery File Upload",
      text: #"{"files":[{"name":"picture1.jpg","size":902604,"error":"Filetype not allowed"}]}"#,
      words: "Filetype not allowed", rule: #""error"\s*:\s*"\K[^"]+"#),
    Sample(
      server: "a list", text: #"[{"success":false,"message":"disk full"}]"#, words: "disk full",
      rule: "/0/success"),
    Sample(
      server: "Plupload",
      text: #"""
        {"jsonrpc" : "2.0", "error" : {"code": 102, "message": "Failed to open output stream."},
         "id" : "id"}
        """#,
      type: "text/html", words: "Failed to open output stream.", rule: "/error/code"),
    Sample(
      server: "Cloudflare",
      text: #"""
        {"result":null,"success":false,"errors":[{"code":5455,
        "message":"Uploaded image must be in a known format"}],"messages":[]}
        """#,
      words: "Uploaded image must be in a known format", rule: "/success"),
    Sample(
      server: "gofile", text: #"{"status":"error","data":{}}"#, words: "status is \"error\"",
      rule: "/status"),
    Sample(
      server: "a page to sign in",
      text: #"""
        <!DOCTYPE html>\n<html><head><title>Please sign in</title></head><body><form>
        <input name=u><INPUT name="p"\n type='Password'></form></body></html>
        """#,
      type: "text/html", words: "Please sign in",
      rule: #"(?i)<input\s[^>]*\btype\s*=\s*["']?password\b"#),
    Sample(
      server: "a form without a title", text: "<html><input type=password></html>",
      type: "text/html", words: "a page that asks for a password",
      rule: #"(?i)<input\s[^>]*\btype\s*=\s*["']?password\b"#),
  ]
}
