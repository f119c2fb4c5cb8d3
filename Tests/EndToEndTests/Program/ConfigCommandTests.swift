import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("The configuration is checked, shown and written by commands")
  struct ConfigCommandTests {
    private static let text = """
      default_target = "album"
      [targets.album]
      url = "https://photos.example/{file.name}?key=hunter2"
      headers = { Authorization = "Bearer hunter2", X-Token = "{env.UNSET}" }
      [targets.b]
      url = "http://b.example/up"
      """

    @Test("check says what is there, what is wrong, and what others can read")
    func check() async throws {
      let person = try Person()
      let none = try await person.run("config", "check")
      #expect(none.status == 0 && none.output.contains("there is no configuration"))
      try person.configure(Self.text)
      let good = try await person.run("config", "check")
      #expect(good.status == 0, "\(good)")
      #expect(good.output.hasSuffix("config.toml: 2 targets, no mistakes\n"))
      #expect(good.errors.contains("targets.album.headers.Authorization: holds a secret"))
      #expect(good.errors.contains("targets.album.url: holds a secret"))
      try person.configure(Self.text + "\nfile_feild = \"x\"")
      let bad = try await person.run("config", "check")
      #expect(bad.status == 2)
      #expect(
        bad.errors.hasSuffix(
          "config.toml:7: targets.b.file_feild: unknown key; did you mean \"file_field\"?\n"))
      try person.configure(
        Self.text + "\nfile_feild = \"x\"\n[targets.c]\nurl = \"ftp://c\"\n[screen]\nmouse = 3\n"
          + "[other]\n[keys]\nfrobnicate = [\"x\"]\n")
      let several = try await person.run("config", "check")
      let keys = several.errors.matches(of: #/config.toml:(\d+): (\S+):/#).map { "\($0.1) \($0.2)" }
      #expect(
        keys == [
          "7 targets.b.file_feild", "9 targets.c.url", "11 screen.mouse", "12 other",
          "14 keys.frobnicate",
        ],
        "\(several)")
      #expect(several.status == 2)
      // Each mistake in a table is told, but not what the others would ask of a value that is wrong.
      try person.configure(
        "[targets.a]\nurl = \"http://a\"\nfeild = \"f\"\nconcurency = 3\ntimeout = true\n"
          + "retry = { attempts = \"x\", mxa = 3 }\n[targets.b]\nurl = 3\n")
      let each = try await person.run("config", "check")
      let places = each.errors.matches(of: #/config.toml:(\d+): (\S+):/#).map { "\($0.1) \($0.2)" }
      #expect(
        places == [
          "3 targets.a.feild", "4 targets.a.concurency", "5 targets.a.timeout",
          "6 targets.a.retry.attempts", "6 targets.a.retry.mxa", "8 targets.b.url",
        ], "\(each)")
      // A key that is left out of the reading for its mistake has not its usual meaning.
      try person.configure("[keys]\nremove = 5\nretry = \"x\"\n")
      let key = try await person.run("config", "check")
      #expect(key.errors.matches(of: #/keys/#).count == 1, "\(key)")
      #expect(key.errors.contains("config.toml:2: keys.remove: expected"), "\(key)")
      // So is each mistake in the tables of the screen, in the same run.
      try person.configure(
        "file_feild = 1\n[screen]\nwhen_done = \"sing\"\n[keys]\nq = \"quit\"\nretyr = \"r\"\n"
          + "[theme]\nbase = \"nordd\"\nselction = \"red\"\ngood = \"blurple\"\n")
      let screen = try await person.run("config", "check")
      let wrong = screen.errors.matches(of: #/config.toml:(\d+): (\S+):/#).map { "\($0.1) \($0.2)" }
      #expect(
        wrong == [
          "1 file_feild", "3 screen.when_done", "5 keys.q", "6 keys.retyr", "8 theme.base",
          "9 theme.selction", "10 theme.good",
        ], "\(screen)")
      #expect(screen.errors.contains("no such action; did you mean quit = \"q\"?"), "\(screen)")
      try person.configure("[screen]\non_end = \"touch /tmp/x\"\n")
      let line = try await person.run("config", "check")
      #expect(
        line.errors.contains(
          #"no program is called "touch /tmp/x"; a command with arguments is ["touch", "/tmp/x"]"#),
        "\(line)")
      try person.configure("[keys]\nretry = \"a\"\nremove = \"b\"\n")
      let twice = try await person.run("config", "check")
      #expect(twice.errors.matches(of: #/cannot mean both/#).count == 2, "\(twice)")
      // A table by a wrong name is no reason to complain of who is not in it.
      try person.configure("default_target = \"t\"\n[target.t]\nurl = \"http://t/\"\n")
      let misnamed = try await person.run("config", "check")
      #expect(
        misnamed.errors.hasSuffix("target: unknown key; did you mean \"targets\"?\n")
          && misnamed.errors.split(separator: "\n").count == 1, "\(misnamed)")
      let missing = try await person.run("config", "check", "--config", "none.toml")
      #expect(missing.status == 2 && missing.errors.contains("none.toml: cannot be read"))
    }

    @Test("show and targets need no secret and show none; what is shown is a configuration")
    func show() async throws {
      let person = try Person()
      try person.configure(Self.text)
      let path = try await person.run("config", "path")
      #expect(path.output.hasSuffix("/.config/hoist/config.toml\n"))
      let shown = try await person.run("config", "show")
      #expect(shown.status == 0, "\(shown)")
      #expect(shown.output.contains("X-Token = \"{env.UNSET}\""))
      #expect(shown.output.contains("timeout = \"60s\""))
      #expect(shown.output.contains("{file.name}?key=…") && !shown.output.contains("hunter2"))
      try person.folder.write("again.toml", Array(shown.output.utf8))
      let again = try await person.run("config", "check", "--config", "again.toml")
      #expect(again.status == 0, "\(again)\n\(shown.output)")
      let one = try await person.run("config", "show", "b")
      #expect(one.output.hasPrefix("[targets.b]\n"))
      let other = try await person.run("config", "show", "c")
      #expect(other.status == 2 && other.errors.contains("no target is called \"c\""))

      let targets = try await person.run("targets")
      #expect(
        targets.output
          == "* album  https://photos.example/{file.name}\n  b      http://b.example/up\n")
      let json = try await person.run("targets", "--json")
      #expect(
        json.output.split(separator: "\n").count == 2 && json.output.contains("\"default\":true"))
    }

    @Test(
      "a shell completes the names of targets",
      arguments: [
        (["push", "--", "--to"], ["push", "a", "--to", ""]),
        (["add", "--", "--to"], ["add", "a", "--to", ""]),
        (["trust", "--", "positional@0"], ["trust", ""]),
        (["trust", "--", "--target"], ["trust", "--target", ""]),
      ])
    func completion(of argument: [String], in words: [String]) async throws {
      let person = try Person()
      try person.configure(Self.text)
      // Code that completes a word gets no context.
      let outcome = try await person.hoist(
        ["---completion"] + argument + ["\(words.count)", "0", "hoist"] + words
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.split(separator: "\n") == ["album", "b"], "\(outcome)")
    }

    /// A combining mark after the quote is part of the name, and of no quote.
    @Test("a folder without --dir gets a hint", arguments: ["inbox", "\u{301}in box"])
    func folderToReceive(_ name: String) async throws {
      let outcome = try await Person().run("receive", name)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("did you mean --dir \(name)?"), "\(outcome.errors)")
    }

    @Test(
      "a command that only holds others says where they are listed",
      arguments: ["config", "target"])
    func withoutACommand(_ name: String) async throws {
      let alone = try await Person().run(name)
      #expect(
        alone.status == 2
          && alone.errors == "hoist: hoist \(name) needs a command; see hoist \(name) --help\n",
        "\(alone)")
    }

    @Test("a person answers questions, and can upload to what comes of it")
    func new() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", [0x61])
      let alone = try await person.run("target", "new")
      #expect(alone.status == 2 && alone.errors.contains("standard input is not a terminal"))

      // As wide as the paths are long that it names.
      let terminal = try await person.terminal(columns: 250)
      try await terminal.command("hoist target new")
      for (question, answer) in [
        ("One of these", ""), ("Name of the target:", "a b"),
        ("a name cannot contain blanks", "desk"),
        ("Is it another hoist", ""), ("URL that files are sent to:", "desk.example"),
        ("expected a URL such as", inbox.url), ("How the file is sent", ""), ("Form field", "pic"),
        ("Credentials:", "cookie"), ("expected one of none", "bearer"),
        ("The token, from a variable", ""), ("Environment variable:", "DESK_TOKEN"),
        ("Are there more things", "y"),
        ("tus", ""), ("Method", ""), ("File name to tell the server", "{unix_s}-{file.name}"),
        ("apart", "perhaps"), ("expected true or false", "yes"), ("files in one request", ""),
        ("Files sent at once", "99"), ("expected a whole number from 1 to 64", "2"),
        ("Attempts in total", "3"), ("second copy", ""), ("Time without progress", "2m"),
        ("Other servers", "https://a.example https://b.example"), ("Version of HTTP", ""),
        ("new connection", "close"),
      ] {
        try await terminal.wait(for: question)
        try await terminal.command(answer)
      }
      try await terminal.wait(for: "Upload with --to desk")
      let pushed = try await person.shell("DESK_TOKEN=t hoist push a.txt --to desk --json").end()
      #expect(pushed.status == 0, "\(pushed)")
      let reply = try pushed.events().end(of: "a.txt").reply()
      #expect((reply["files"] as? [[String: Any]])?.first?["field"] as? String == "pic")
      let shown = try await person.run("config", "show", "desk")
      for line in [
        "Authorization = \"Bearer {env.DESK_TOKEN}\"", "file_name = \"{unix_s}-{file.name}\"",
        "same_names = true", "concurrency = 2", "timeout = \"120s\"", "attempts = 3",
        "connection = \"close\"", "redirect_to = [ \"https://a.example\", \"https://b.example\" ]",
      ] {
        #expect(shown.output.contains(line), "\(line) in \(shown)")
      }

      // What does not go with the answers is not asked for.
      try await terminal.clear()
      try await terminal.command("hoist target new")
      for (question, answer) in [
        ("One of these", "none"), ("Name of the target:", "box"), ("Is it another hoist", "y"),
        ("URL that files are sent to:", inbox.url),
        ("leave out /upload", inbox.url.replacing("/upload", with: "")),
        ("Form field", ""), ("Credentials:", "basic"), ("User name:", "me"),
        ("The password, from a variable, file, command or typed", "$PASSWORD"),
        ("Are there more things", ""),
      ] {
        try await terminal.wait(for: question)
        try await terminal.command(answer)
      }
      try await terminal.wait(for: "Upload with --to box")
      let listed = try await person.shell("PASSWORD=x hoist ls box").end()
      #expect(listed.output.hasSuffix("-a.txt\n"), "\(listed)")
    }

    @Test("of a service that hoist knows, only what differs is asked for")
    func recipe() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", [0x61])
      let unknown = try await person.run("target", "new", "nextclod")
      #expect(unknown.errors.contains("did you mean \"nextcloud\"?"), "\(unknown)")
      let known = try await person.run("target", "recipes")
      #expect(known.output.contains("\nnextcloud            Nextcloud\n"), "\(known)")

      let terminal = try await person.terminal(columns: 250)
      try await terminal.command("hoist target new")
      for (question, answer) in [
        ("Services that hoist knows: 0x0, ", ""), ("One of these [none]:", "tuss"),
        ("did you mean \"tus\"?", "tus"), ("Name of the target [tus]:", "desk"),
        ("such as http://127.0.0.1:3000/files", "desk example"),
        ("contains a space", inbox.url.replacing("/upload", with: "/files")),
      ] where !answer.isEmpty {
        try await terminal.wait(for: question)
        try await terminal.command(answer)
      }
      try await terminal.wait(for: "Upload with --to desk")
      let pushed = try await person.run("push", "a.txt", "--to", "desk")
      #expect(pushed.status == 0 && inbox.bytes("a.txt") == Data([0x61]), "\(pushed)")

      try await terminal.clear()
      try await terminal.command("hoist target new Nextcloud")
      for (question, answer) in [
        ("Name of the target [nextcloud]:", ""), ("The server's address", "https://cloud.test/"),
        ("Your user name", "me@b"), ("The folder [Uploads]:", "My files"),
        ("variable, file, command or typed [variable]:", "s3cret"),
        ("do not put the secret itself here", "command"),
        ("Command that prints it", "pass show 'my cloud'"),
      ] {
        try await terminal.wait(for: question)
        try await terminal.command(answer)
      }
      // The terminal may break the line within the name.
      try await terminal.wait(for: "Upload with --to next")
      let checked = try await person.run("config", "check")
      #expect(checked.status == 0, "\(checked)")
      let text = try String(
        contentsOfFile: "\(person.home.path)/.config/hoist/config.toml", encoding: .utf8)
      #expect(
        text.contains("https://cloud.test/remote.php/dav/files/me%40b/My%20files/"), "\(text)")
      #expect(text.contains("command = [ \"pass\", \"show\", \"my cloud\" ]"))
    }

    @Test("a secret that is typed is not shown, and is in a file that only its owner can read")
    func typed() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", [0x61])
      let terminal = try await person.terminal(columns: 250)
      try await terminal.command("hoist target new webdav")
      for (question, answer) in [
        ("Name of the target [webdav]:", "box.1"), ("The address of the folder", inbox.url),
        ("Your user name; empty for", ""), ("typed or none [variable]:", "typed"),
        ("which is not shown", "to-ken"),
      ] {
        try await terminal.wait(for: question)
        try await terminal.command(answer)
      }
      try await terminal.wait(for: "Upload with --to box.1")
      #expect(!(try await terminal.screen()).rows.joined().contains("to-ken"))
      let folder = "\(person.home.path)/.config/hoist"
      let text = try String(contentsOfFile: "\(folder)/config.toml", encoding: .utf8)
      #expect(text.contains("\nauth = { bearer = \"{secret.webdav_password}\" }\n"), "\(text)")
      #expect(!text.contains("basic") && !text.contains("to-ken"))
      let file = "\(folder)/secrets/box-1-WEBDAV_PASSWORD"
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "to-ken\n")
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let shown = try await person.run("push", "a.txt", "--to", "box.1", "--dry-run")
      #expect(shown.status == 0 && !shown.output.contains("to-ken"), "\(shown)")

      // A public folder needs nothing; a user name needs a password.
      try await terminal.clear()
      try await terminal.command("hoist target new webdav")
      for (question, answer) in [
        ("Name of the target [webdav]:", ""), ("The address of the folder", inbox.url),
        ("Your user name; empty for", "me"), ("typed or none [variable]:", "none"),
        ("because you have answered", "$WEBDAV_PASSWORD"),
      ] {
        try await terminal.wait(for: question)
        try await terminal.command(answer)
      }
      try await terminal.wait(for: "Before that, set WEBDAV_PASSWORD")
    }

    @Test("a ShareX uploader is imported and uploads, and what cannot be imported is listed")
    func importing() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure(Self.text)
      try person.folder.write("a.txt", [0x61])
      try person.folder.write(
        "host.sxcu",
        Array(
          """
          {"Version": "15.0.0", "Name": "My Host", "RequestMethod": "POST", "RequestURL": "\(inbox.url)",
           "Body": "MultipartFormData", "Arguments": {"z": "1", "a": "{filename}"},
           "FileFormName": "pic", "URL": "{json:files[0].url}", "ThumbnailURL": "{json:x}", "DeletionURL": "{json:files[0].url}?delete"}
          """.utf8))
      let printed = try await person.run("target", "import", "host.sxcu", "--print")
      #expect(printed.output.hasPrefix("[targets.my-host]\n"), "\(printed)")
      let outcome = try await person.run("target", "import", "host.sxcu", "--name", "mine")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors.contains("not carried over: ThumbnailURL"))
      let pushed = try await person.run("push", "a.txt", "--to", "mine")
      #expect(pushed.status == 0 && pushed.output.hasSuffix("/files/a.txt\n"), "\(pushed)")
      let shown = try await person.run("push", "a.txt", "--to", "mine", "--dry-run")
      #expect(shown.output.matches(of: /part (\w+):/).map { String($0.1) } == ["z", "a", "pic"])
      let twice = try await person.run("target", "import", "host.sxcu", "--name", "mine")
      #expect(
        twice.status == 2 && twice.errors.contains("there is already a target called \"mine\""))
    }
  }
}
