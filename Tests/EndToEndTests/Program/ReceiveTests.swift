import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A receiver to rely on")
  struct ReceiveTests {
    @Test("a browser without scripts sends files with the page, and is shown what arrived")
    func browser() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--token", "s3cret")
      let small = try person.folder.write("größe & <b>.txt", Array("small".utf8))
      let big = try person.folder.write("big.bin", count: 5_000_000)
      let page = inbox.url.replacingOccurrences(of: "/upload", with: "/")
        .replacingOccurrences(of: "http://", with: "http://anybody:s3cret@")
      let text = try TestSupport.Peer.run(
        Repository.root + "/.build/peers/bin/python3",
        [Repository.root + "/Tests/EndToEndTests/Peers/browse.py", page, small, big])
      #expect(text.contains("Received files") && text.contains("2 files"), "\(text)")
      #expect(text.contains("größe &amp; _b_.txt") && text.contains("5000000"))
      #expect(inbox.names == ["big.bin", "größe & _b_.txt"])
      #expect(try inbox.bytes("big.bin") == bytes(big))
    }

    @Test("the endpoints that recipes are tested against are there only if they are asked for")
    func demoEndpoints() async throws {
      let person = try Person()
      for (options, status) in [([], "404"), (["--demo-endpoints"], "200")] as [([String], String)]
      {
        let program = try person.hoist(["receive", "--port", "0", "--dir", "inbox"] + options)
        let port = try await wait(for: "the receiver", otherwise: { program.errors }) {
          program.output.firstMatch(of: /receiving on http:\S+:(\d+)\/upload/).map { String($0.1) }
        }
        let asked = try await person.shell(
          "curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:\(port)/bookmarks"
        ).end()
        #expect(asked.output == status, "\(options): \(asked)")
      }
      let help = try await person.run("receive", "--help")
      #expect(help.status == 0 && !help.output.contains("demo-endpoints"), "\(help)")
      #expect(help.output.contains("/multiupload") && !help.output.contains("bookmarks"))
    }

    /// A proxy as its recipe has it, with the names of this test in it.
    enum Proxy: String, CaseIterable {
      case nginx, caddy

      func start(_ person: Person, port: Int, receiver: String, _ certificate: Certificate) throws
        -> Program
      {
        let file = self == .nginx ? "receiver-nginx.conf" : "receiver-caddy.Caddyfile"
        var recipe = try String(
          contentsOfFile: Repository.root + "/config/recipes/" + file, encoding: .utf8)
        for (name, value) in [
          ("listen 443 ssl", "listen 127.0.0.1:\(port) ssl"),
          ("/etc/ssl/files.example.org.pem", certificate.file),
          ("/etc/ssl/files.example.org.key", certificate.key), ("127.0.0.1:3000", receiver),
          ("\nfiles.example.org {", "\nfiles.localhost:\(port) {"),
          ("server_name files.example.org", "server_name files.localhost"),
        ] { recipe = recipe.replacingOccurrences(of: name, with: value) }
        let folder = person.folder.path
        switch self {
        case .nginx:
          let around = """
            daemon off; master_process off; pid \(folder)/nginx.pid; error_log \(folder)/error.log;
            events { }
            http {
              client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
              fastcgi_temp_path \(folder)/f; uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
              access_log off;
              include \(folder)/recipe.conf;
            }
            """
          try person.folder.write("recipe.conf", Array(recipe.utf8))
          try person.folder.write("nginx.conf", Array(around.utf8))
          return try person.shell(
            "exec $(PATH=$PATH:/usr/sbin command -v nginx) -p . -c $PWD/nginx.conf -e $PWD/error.log"
          )
        case .caddy:
          let around = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"
          try person.folder.write("Caddyfile", Array((around + recipe).utf8))
          return try person.shell("exec caddy run --adapter caddyfile --config Caddyfile")
        }
      }
    }

    @Test("behind a proxy with TLS, as the recipes have it", arguments: Proxy.allCases)
    func proxied(_ proxy: Proxy) async throws {
      let person = try Person()
      let authority = try CertificateAuthority()
      let port = try HostileServer.closedPort()
      let site = "https://files.localhost:\(port)"
      let inbox = try await person.receiver(
        "--token", "s3cret", "--public-url", site, "--max-file-bytes", "20 MB")
      let address = String(inbox.url.dropFirst("http://".count).prefix { $0 != "/" })
      let program = try proxy.start(
        person, port: port, receiver: address, try authority.issue("files.localhost"))
      try person.configure(
        """
        [targets.files]
        url = "\(site)/upload"
        headers = { Authorization = "Bearer s3cret" }
        tls = { ca_file = "\(authority.root.file)" }
        """)
      let big = try person.folder.write("big.bin", count: 15_000_000)
      let small = try person.folder.write("größe.txt", Array("small".utf8))
      // Trying again is how hoist waits for the proxy to be there.
      let outcome = try await person.run(
        "push", "größe.txt", "big.bin", "--to", "files", "--attempts", "20", "--concurrency", "1"
      )
      #expect(outcome.status == 0, "\(outcome)\n\(program.errors)")
      // The one that finds the proxy away goes after the other.
      #expect(
        outcome.output.split(separator: "\n").sorted()
          == ["\(site)/files/big.bin", "\(site)/files/gr%C3%B6%C3%9Fe.txt"])
      #expect(try inbox.bytes("big.bin") == bytes(big) && inbox.bytes("größe.txt") == bytes(small))

      // The receiver's own words come through.
      try person.folder.write("huge.bin", [])
      #expect(truncate(person.folder.path("huge.bin"), 300_000_000) == 0)
      let huge = try await person.run("push", "huge.bin", "--to", "files", "--json")
      // Caddy closes a connection with unread bytes in it, and then its answer may be lost on the way.
      let causes = proxy == .caddy ? ["http-413", "connection-lost"] : ["http-413"]
      #expect(causes.contains(try huge.events().end(of: "huge.bin").text("cause") ?? ""), "\(huge)")
      let stranger = try await person.shell(
        "curl -sS --cacert \(authority.root.file) --resolve files.localhost:\(port):127.0.0.1 "
          + "-F f=@größe.txt \(site)/upload"
      ).end()
      #expect(stranger.output.contains("requires a token"), "\(stranger)")
      #expect(inbox.names == ["big.bin", "größe.txt"])
    }

    @Test("many clients, hoist and curl, send files of the same names while others misbehave")
    func crowd() async throws {
      let clients = Effort.of(6, long: 50)
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      let port = try #require(URL(string: inbox.url)?.port)
      let head =
        "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=B\r\n"
      let part =
        "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"1.bin\"\r\n\r\nlies"
      let hostile = try (0..<20).map { index in
        let client = try RawClient(port: port)
        switch index % 5 {
        // One stalls, one ends without an end, one never ends its head, one leaves, one says too much.
        case 0: try client.send("\(head)Content-Length: 1000000\r\n\r\n\(part)")
        case 1: try client.send("\(head)Content-Length: \(part.utf8.count)\r\n\r\n\(part)")
        case 2: try client.send(head)
        case 3:
          try client.send("\(head)Content-Length: 1000000\r\n\r\n\(part)")
          client.reset()
        default: try client.send("\(head)Content-Length: 10\r\n\r\n\(part)\r\n--B--\r\n\(part)")
        }
        return client
      }
      let outcome = try await person.shell(
        """
        mkdir good; cd good
        for c in $(seq \(clients)); do
          mkdir $c; head -c $((40 * 1000 + c * 400)) /dev/urandom > all; split -n 40 -a 2 -d all $c/
        done
        cat > ../client <<'END'
        cd $1
        if [ $(($1 % 2)) = 0 ]; then exec hoist push * -q --to \(inbox.url) > /dev/null; fi
        for file in *; do curl -sSf -o /dev/null -F "file=@$file" \(inbox.url) || exit 1; done
        END
        rm all; seq \(clients) | xargs -P \(clients) -n 1 sh ../client
        """
      ).end(seconds: 300)
      #expect(outcome.status == 0, "\(outcome.errors.suffix(2000))")
      withExtendedLifetime(hostile) {}
      try await inbox.program.interrupt(SIGTERM)
      #expect(try await inbox.program.end().status == 0)
      // Every content is there, once, and nothing else.
      let compared = try await person.shell(
        """
        sums() { find "$1" -type f -exec sha256sum {} + | cut -d' ' -f1 | sort; }
        sums good > sent; sums inbox > received; wc -l < received; cmp sent received
        """
      ).end()
      #expect(compared.status == 0 && compared.output == "\(clients * 40)\n", "\(compared)")
    }

    @Test(
      "mistakes are found before anything listens",
      arguments: [
        (["--port", "70000"], "--port 70000"),
        (["--host", "192.0.2.1"], "address of this machine"),
        (["--max-file-bytes", "lots"], "100 MB"), (["--token", ""], "--token"),
        (["--public-url", "files"], "--public-url files"), (["--dir", "/proc/x"], "/proc/x"),
        (["--keep-free", "-1"], "--keep-free"), (["--name", "nas:3000"], "--name nas:3000"),
        (["--name", "a b"], "--name a b"),
      ])
    func mistakes(options: [String], words: String) async throws {
      let person = try Person()
      let outcome = try await person.hoist(["receive", "--port", "0"] + options).end()
      #expect(outcome.status == 2 && outcome.errors.hasPrefix("hoist: "), "\(outcome)")
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("two lines of configuration: send, list, look and delete; a token if there is one")
    func twoLines() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--allow-delete", "--token", "s3cret")
      let keeper = try Person()
      let kept = try await keeper.receiver()
      func address(_ inbox: Inbox) -> String { inbox.url.replacing("/upload", with: "/") }
      try person.configure(
        """
        [targets.desk]
        type = "hoist"
        url = "\(address(inbox))"
        auth = { bearer = "{env.DESK_TOKEN}" }

        [targets.many]
        type = "hoist"
        url = "\(address(inbox))"
        headers = { Authorization = "Bearer {env.DESK_TOKEN}" }
        batch = { max_files = 5 }

        [targets.steady]
        type = "hoist"
        url = "\(address(inbox))"
        headers = { Authorization = "Bearer {env.DESK_TOKEN}" }
        resume = "tus"

        [targets.kept]
        type = "hoist"
        url = "\(address(kept))"
        """)
      func shell(_ line: String) async throws -> Program.Outcome {
        try await person.shell("export DESK_TOKEN=s3cret TZ=UTC; \(line)").end()
      }
      for (target, name) in [("desk", "a b.txt"), ("many", "c.txt"), ("steady", "d.txt")] {
        try person.folder.write(name, count: 300, seed: 7)
        let pushed = try await shell("hoist push '\(name)' --to \(target)")
        #expect(pushed.status == 0, "\(pushed)")
        let path = name.replacing(" ", with: "%20")
        #expect(pushed.output.hasSuffix("/files/\(path)\n"), "\(pushed)")
        #expect(inbox.bytes(name) == (try bytes(person.folder.path(name))))
      }
      let listed = try await shell("hoist ls desk | sort")
      #expect(
        listed.output == "a b.txt\ta b.txt\nc.txt\tc.txt\nd.txt\td.txt\n", "\(listed)")
      let one = try await shell("hoist get desk 'a b.txt'")
      #expect(one.output.contains("\"size\":300"), "\(one)")
      let removed = try await shell("hoist rm desk 'a b.txt' --yes")
      #expect(removed.status == 0 && inbox.bytes("a b.txt") == nil, "\(removed)")
      #expect(try await shell("hoist ls many | wc -l").output == "2\n")

      // A receiver that was not told to let clients delete keeps what it has.
      let sent = try await shell("hoist push c.txt --to kept")
      #expect(sent.status == 0, "\(sent)")
      let refused = try await shell("hoist rm kept c.txt --yes")
      #expect(
        refused.status == 1 && refused.errors.contains("does not allow files to be deleted"),
        "\(refused)")
      #expect(kept.bytes("c.txt") != nil)
    }

    @Test("it answers to the names that it was given, and not to others")
    func names() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--name", "nas.local", "--name", "files")
      let port = try #require(URL(string: inbox.url)?.port)
      for (name, status) in [
        ("nas.local", 200), ("FILES", 200), ("localhost", 200), ("evil.example", 421),
      ] {
        let client = try RawClient(port: port)
        try client.send("GET / HTTP/1.1\r\nHost: \(name):\(port)\r\n\r\n")
        #expect(try client.readReply().status == status, "\(name)")
      }
    }

    @Test("a user who opens it to others learns what they may do, and how to reach it by name")
    func opened() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--host", "0.0.0.0")
      let told = try await wait(for: "both hints", otherwise: { inbox.program.errors }) {
        let errors = inbox.program.errors
        return errors.contains("without --token") && errors.contains("--name") ? errors : nil
      }
      #expect(told.split(separator: "\n").count == 2)
    }

    @Test("a log that nobody reads holds up neither uploads nor the end")
    func stuckLog() async throws {
      let person = try Person()
      // A pipe that is open for reading, too, is written to until it is full, and then no more.
      let program = try person.shell(
        "mkfifo log && exec hoist receive --port 0 --dir inbox 2<>log")
      let url = try await wait(for: "the receiver", otherwise: { program.errors }) {
        program.output.firstMatch(of: /receiving on (http:\S+) into/).map { String($0.1) }
      }
      let port = try #require(URL(string: url)?.port)
      let long = String(repeating: "x", count: 16_000)
      for _ in 0..<200 {
        let client = try RawClient(port: port)
        try client.send("GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.readReply().status == 404)
      }
      try await program.interrupt(SIGTERM)
      #expect(try await program.end().status == 0)
    }

    @Test("a disk that shall stay free is a refusal for good")
    func refusals() async throws {
      let person = try Person()
      try person.folder.write("a", [1])
      let full = try await person.receiver("--keep-free", "1000 TB")
      let one = try await person.run("push", "a", "--to", full.url, "--json")
      let failed = try one.events().end(of: "a")
      #expect(failed.text("cause") == "http-507" && failed.number("attempt") == 1)
    }

    @Test("the manual page has every option, and mandoc finds no mistake in it")
    func manual() async throws {
      let person = try Person()
      let outcome = try await person.shell(
        "hoist --experimental-dump-help > help.json && "
          + "\(Repository.root)/Tools/packaging/man.py 1.2.3 < help.json > hoist.1 && "
          + "mandoc -T lint -W error hoist.1 && mandoc -T utf8 hoist.1 | sed 's/.\\x08//g'"
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      let help = try JSONSerialization.jsonObject(
        with: Data(try bytes(person.folder.path("help.json"))))
      let options = Self.shownOptions(in: help)
      #expect(options.count > 25)
      for option in options where !["help", "version"].contains(option) {
        #expect(outcome.output.contains("--\(option)"), "--\(option)")
      }
      #expect(outcome.output.contains("hoist 1.2.3"))
      // A table is a table.
      #expect(outcome.output.contains(/\n +POST \/multiupload +up to 10 files in one request\n/))
    }

    /// The long names of all options that are not hidden.
    private static func shownOptions(in help: Any) -> Set<String> {
      if let list = help as? [Any] {
        return list.reduce(into: []) { $0.formUnion(shownOptions(in: $1)) }
      }
      guard let object = help as? [String: Any], object["shouldDisplay"] as? Bool != false else {
        return []
      }
      let names = object["names"] as? [[String: Any]] ?? []
      let long = names.filter { $0["kind"] as? String == "long" }.compactMap {
        $0["name"] as? String
      }
      return object.filter { $0.key != "names" }.values.reduce(into: Set(long)) {
        $0.formUnion(shownOptions(in: $1))
      }
    }
  }
}
