import ArgumentParser
import Sessions

/// The options that say how to treat files that were sent before.
struct SentOptions: ParsableArguments {
  @Flag(
    help: .usual(
      "Leave out files that were sent there before.",
      detail: "They are recognized by target, path, size and modification time."))
  var skipSent = false

  @Flag(
    help: .rare(
      "Recognize files that were sent before by their content (SHA-256), whatever their names."))
  var checksum = false

  var rules: SentRules { SentRules(skips: skipSent, comparesContent: checksum) }
}
