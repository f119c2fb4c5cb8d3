import ArgumentParser

/// The options that say what is done about files that were sent before.
struct SentOptions: ParsableArguments {
  @Flag(
    name: .long,
    help: "Leave out files that the target has taken already: same path, size and time of change.")
  var skipSent = false

  @Flag(
    name: .long,
    help: "Tell files that were sent before by their content (SHA-256), whatever they are called.")
  var checksum = false
}
