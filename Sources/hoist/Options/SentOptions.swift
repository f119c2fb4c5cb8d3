import ArgumentParser
import Sessions

/// The options that say how to treat files that were sent before.
struct SentOptions: ParsableArguments {
  @Flag(
    help: .usual(
      "Leave out files that were sent there before.",
      detail: "They are known by their target, path, size and modification time."))
  var skipSent = false

  @Flag(
    help: .rare(
      "Recognise by content (SHA-256) the files that were sent before, whatever their names."))
  var checksum = false

  var rules: SentRules { SentRules(skips: skipSent, comparesContent: checksum) }
}
