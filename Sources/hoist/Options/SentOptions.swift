import ArgumentParser

/// The options that say how to treat files that were sent before.
struct SentOptions: ParsableArguments {
  @Flag(
    help:
      "Leave out files that were sent to the target before: same path, size and modification time."
  )
  var skipSent = false

  @Flag(
    help: "Recognise by content (SHA-256) the files that were sent before, whatever their names.")
  var checksum = false
}
