import ArgumentParser
import UploadModel

struct Hoist: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hoist",
    abstract: "Upload files to form endpoints, and see which arrived, which failed and why.",
    usage: """
      hoist [FILE…] --to TARGET_OR_URL      queue files on a screen
      hoist push FILE… --to TARGET_OR_URL   upload without a screen
      """,
    discussion: """
      Each file goes in a multipart/form-data request, with several requests at once. A file that cannot be \
      sent fails with its reason, without stopping the others; failures that may be temporary are retried.

      A target is a URL, or a table of the configuration that says which field carries the file, \
      and which fields, headers and credentials go with it (hoist target new).

      EXAMPLES:
        hoist photo.jpg report.pdf --to https://host/upload
        hoist push *.log --to https://host/upload --field log --form build=42
        hoist receive --port 3000 --dir inbox

      EXIT STATUS:
        0    everything was sent
        1    some files were not sent
        2    wrong usage or configuration; nothing was sent
        130  interrupted
      """,
    version: VersionText.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Send",
        subcommands: [
          ScreenCommand.self, PushCommand.self, AddCommand.self, SendCommand.self, DemoCommand.self,
        ]),
      CommandGroup(
        name: "Look",
        subcommands: [
          QueueCommand.self, HistoryCommand.self, ReportCommand.self, MimeCommand.self,
          ListCommand.self, GetCommand.self, RemoveCommand.self,
        ]),
      CommandGroup(
        name: "Set up",
        subcommands: [
          TargetCommand.self, TargetsCommand.self, ConfigCommand.self, TrustCommand.self,
          CompletionsCommand.self,
        ]),
      CommandGroup(name: "Serve", subcommands: [ReceiveCommand.self]),
    ],
    defaultSubcommand: ScreenCommand.self)
}
