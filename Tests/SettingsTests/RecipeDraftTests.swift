import Foundation
import TestSupport
import Testing

@testable import Settings

@Suite("A target of a recipe")
struct RecipeDraftTests {
  private static let names = Recipe.all.map(\.name)

  private func recipe(_ name: String) throws -> Recipe {
    try #require(Recipe.called(name), "there is no recipe \(name)")
  }

  private func draft(_ recipe: Recipe, taken: [String] = []) -> RecipeDraft {
    RecipeDraft(of: recipe, named: recipe.usualName, file: "/c.toml", takenSecrets: taken)
  }

  /// The file, which the program has to have as it is.
  private func file(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Repository.root)/config/recipes/\(name).toml", encoding: .utf8)
  }

  private func settings(_ text: String) throws -> Settings {
    try Settings.parse(text, file: "/c.toml", environment: [:])
  }

  /// These services answer 200 to a good upload, and say nothing more.
  private static let silent: Set<String> = [
    "git-lfs", "internet-archive", "note-with-photos", "pypi", "s3-presigned", "tus",
  ]

  @Test("every recipe says what a good reply looks like", arguments: names)
  func goodReplies(_ name: String) throws {
    let settings = try settings(try file(name))
    for target in settings.targetNames.compactMap(settings.blueprint) {
      let pieces = target.resume.pieces
      var rules = pieces.map { [$0.response(of: target)] } ?? []
      if pieces == nil || pieces?.above != nil { rules.append(target.response) }
      #expect(rules.allSatisfy(\.namesGoodReply) != Self.silent.contains(name))
    }
    #expect(settings.advice.isEmpty)
  }

  @Test("the program has every file, and finds it by its name and its title")
  func all() throws {
    let folder = try FileManager.default.contentsOfDirectory(
      atPath: "\(Repository.root)/config/recipes")
    let files = folder.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    #expect(Self.names == files.sorted() && files.count > 25)
    #expect(Set(Recipe.all.map(\.title)).count == files.count)
    #expect(Recipe.called("Nextcloud")?.name == "nextcloud")
    #expect(Recipe.called("google cloud storage")?.name == "gcs")
    #expect(Recipe.called("") == nil)
  }

  @Test("its head says what it is for and what is to be filled in", arguments: names)
  func heads(_ name: String) throws {
    let (recipe, text) = (try recipe(name), try file(name))
    #expect((2...40).contains(recipe.title.count), "\(recipe.title)")
    #expect(text.hasPrefix("# \(recipe.title): "))
    let samples = recipe.questions.map(\.sample)
    #expect(!samples.isEmpty && Set(samples).count == samples.count)
    #expect(recipe.questions.allSatisfy { !$0.words.isEmpty && !$0.words.hasSuffix(":") })
    // One target, which is the default one.
    let settings = try settings(text)
    #expect(settings.targetNames == [recipe.usualName])
    #expect(settings.defaultTarget == recipe.usualName)
    #expect(
      try settings.blueprint(of: recipe.usualName)
        == self.settings(draft(recipe).text)
        .blueprint(of: recipe.usualName))
    // Whatever is nobody's in particular is asked for.
    let said = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
    let variables = said.matches(of: #/\{env\.(\w+)/#).map { String($0.1) }
    #expect(Set(variables).isSubset(of: Set(samples)))
  }

  @Test("with answers, it is the recipe with the answers in it", arguments: names)
  func answers(_ name: String) throws {
    let recipe = try recipe(name)
    var (draft, expected) = (draft(recipe), try file(name))
    for (index, question) in recipe.questions.enumerated() {
      let before = draft.text
      let answer: String
      switch question.kind {
      case .address:
        answer = "https://zq\(index).test/base"
        try draft.answer(question, with: "\(answer)/")
      case .text:
        answer = "zq\(index)"
        try draft.answer(question, with: answer)
      case .secret:
        answer = "ZQ_\(index)"
        try draft.answer(question, with: .variable(answer))
      }
      #expect(draft.text != before, "nothing is \(question.sample)")
      // Keys are nobody's.
      let pattern = NSRegularExpression.escapedPattern(for: question.sample)
      let sample = try NSRegularExpression(pattern: "(?<![\\w-])\(pattern)(?![\\w-]| =)")
      expected = sample.stringByReplacingMatches(
        in: expected, range: NSRange(expected.startIndex..., in: expected), withTemplate: answer)
    }
    let made = try settings(draft.text)
    #expect(
      made.blueprint(of: recipe.usualName)
        == (try settings(expected)).blueprint(of: recipe.usualName))
    for nobody in [".example/", ".example\"", "127.0.0.1:3000"] {
      #expect(!draft.text.contains(nobody), "\(draft.text)")
    }
    // A configuration takes it in.
    let config = try ConfigEdit(
      of: "[targets.a]\nurl = \"http://h/\"\n", file: "/c.toml", environment: [:]
    ).adding(draft.text, named: draft.name)
    #expect(try settings(config).targetNames == ["a", recipe.usualName].sorted())
  }

  @Test("what a # turns off is filled in as well")
  func turnedOff() throws {
    let recipe = try recipe("mastodon")
    var draft = RecipeDraft(of: recipe, named: "toot", file: "/c.toml", takenSecrets: [])
    try draft.answer(recipe.questions[0], with: "https://me.test")
    #expect(
      draft.text.contains(
        "#[targets.toot.server.create]\n#url = \"https://me.test/api/v1/statuses\"\n"),
      "\(draft.text)")
  }

  @Test("an answer is encoded in URLs, and quoted elsewhere")
  func hard() throws {
    let recipe = try recipe("nextcloud")
    var draft = RecipeDraft(of: recipe, named: "my cloud", file: "/c.toml", takenSecrets: [])
    let answers = [
      "https://me.test/", "M\u{fc}ller \"Uploads\" O'N {x}", "/Ferien 2026/S\u{fc}d?/",
    ]
    for (question, answer) in zip(recipe.questions, answers) {
      try draft.answer(question, with: answer)
    }
    let user = "M%C3%BCller%20%22Uploads%22%20O%27N%20%7Bx%7D"
    #expect(
      draft.text.contains(
        "url = \"https://me.test/remote.php/dav/files/\(user)/Ferien%202026/S%C3%BCd%3F/{file.path}\""
      ), "\(draft.text)")
    #expect(draft.text.contains(#"user = "M\#u{fc}ller \"Uploads\" O'N {{x}}""#))
    #expect(draft.text.hasPrefix("# Nextcloud: "))
  }

  @Test(
    "an address without a scheme gets one",
    arguments: [("cloud.test/", "https://cloud.test"), ("127.0.0.1:9", "http://127.0.0.1:9")])
  func scheme(_ answer: String, _ address: String) throws {
    let recipe = try recipe("nextcloud")
    var draft = self.draft(recipe)
    try draft.answer(recipe.questions[0], with: answer)
    #expect(draft.text.contains("url = \"\(address)/remote.php/"), "\(draft.text)")
  }

  @Test(
    "an answer that makes no target is refused, and the reason is said",
    arguments: [
      ("nextcloud", 0, "cloud test", "the URL contains a space"),
      ("nextcloud", 0, "https://me:secret@cloud.test", "the URL contains a user name or password"),
      ("nextcloud", 0, "https://cloud.test/?a=b", "must not have a query"),
      ("nextcloud", 0, "https://cloud.test/{nonsense}", "leave braces out"),
      ("nextcloud", 1, "", "an answer is needed"),
      ("nextcloud", 1, "a:b", "a user name cannot contain a colon"),
      ("nextcloud", 1, "a\u{0}b", "holds a NUL character"),
      ("s3", 2, "", "an answer is needed"),
      ("tus", 0, "ftp://host/files", "expected an http or https URL"),
    ])
  func refusals(_ name: String, _ number: Int, _ answer: String, _ problem: String) throws {
    let recipe = try recipe(name)
    let said = draft(recipe).problem(with: answer, for: recipe.questions[number])
    #expect(said?.contains(problem) == true, "\(said ?? "nothing")")
    #expect(said?.contains("me:") != true)
  }

  @Test("what a person does not have is left out, and the next line says how to go without")
  func missing() throws {
    let recipe = try recipe("webdav")
    let (user, secret) = (recipe.questions[1], recipe.questions[2])
    #expect(user.isOptional && secret.isOptional && !recipe.questions[0].isOptional)
    let empty = draft(recipe)
    #expect(empty.problem(leavingOut: recipe.questions[0]) == "an answer is needed")
    var named = empty
    try named.answer(user, with: "me2")
    #expect(named.problem(leavingOut: secret)?.contains("because you have answered") == true)
    var token = empty
    try token.leaveOut(user)
    try token.answer(secret, with: .variable("TOKEN"))
    let bearer = try #require(settings(token.text).blueprint(of: "webdav"))
    #expect(bearer.headers.map(\.name) == ["Authorization"])
    #expect(token.text.contains("\nauth = { bearer = \"{env.TOKEN}\" }\n"), "\(token.text)")
    var open = empty
    try open.leaveOut(user)
    try open.leaveOut(secret)
    #expect(try settings(open.text).blueprint(of: "webdav")?.headers.isEmpty == true)
  }

  @Test("a secret is named, and never in the configuration")
  func secrets() throws {
    let recipe = try recipe("s3")
    var draft = draft(recipe, taken: ["aws_access_key_id"])
    let (key, secret) = (recipe.questions[3], recipe.questions[4])
    #expect(
      draft.problem(with: .variable("wJalr/XUtn"), for: key)?.contains("a variable in capitals")
        == true)
    #expect(draft.problem(with: .command([]), for: key)?.contains("expected a program") == true)
    #expect(draft.problem(with: .file(""), for: key)?.contains("expected a path") == true)
    try draft.answer(key, with: .file("~/s3-key"))
    try draft.answer(secret, with: .command(["pass", "show", "a \"b\""]))
    let config = try ConfigEdit(
      of: "[secrets]\naws_access_key_id = { env = \"A\" }\n", file: "/c.toml", environment: [:]
    ).adding(draft.text, named: draft.name)
    #expect(config.contains("key = \"{secret.aws_access_key_id-2}\""))
    #expect(
      config.hasSuffix(
        """

        [secrets.aws_access_key_id-2]
        file = "~/s3-key"

        [secrets.aws_secret_access_key]
        command = [ "pass", "show", 'a "b"' ]

        """), "\(config)")
    #expect(try settings(config).secretNames.count == 3)
  }
}
