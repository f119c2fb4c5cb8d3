// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in CI, and only there: a person with a newer compiler still gets a program.
let strict: [SwiftSetting] =
  Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

// A product of another package. Only `Receiver` and the program need some: with `traits: []`, a package that depends on
// this one fetches none.
func outside(_ name: String, _ package: String, for trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

let package = Package(
  name: "hoist",
  products: [
    .executable(name: "hoist", targets: ["hoist"]),
    .library(name: "MultipartForm", targets: ["MultipartForm"]),
    .library(name: "MultipartFormCodable", targets: ["MultipartFormCodable"]),
    .library(name: "MediaTypes", targets: ["MediaTypes"]),
    .library(name: "Receiver", targets: ["Receiver"]),
  ],
  traits: [
    .trait(name: "Receiver", description: "What the library Receiver needs."),
    .trait(name: "Program", description: "What the program needs.", enabledTraits: ["Receiver"]),
    .default(enabledTraits: ["Program"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
  ],
  targets: [
    // System libraries and C, each entering through one room.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(name: "CMagic", providers: [.apt(["libmagic-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CPCRE2", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CTerminalRescue"),
    .target(name: "CChild"),
    // What a build is told of the commit; a change compiles one file in C.
    .target(
      name: "CCommit",
      cSettings: [
        .define("HOIST_COMMIT", to: "\"\(Context.environment["HOIST_COMMIT"] ?? "")\"")
      ]),

    // Text by its scalars, for every room.
    .target(name: "ScalarText", swiftSettings: strict),

    .target(name: "Digests", dependencies: ["COpenSSL"], swiftSettings: strict),

    // The versions of the IETF's draft and its structured header fields, for both ends of an upload.
    .target(
      name: "UploadDraft",
      dependencies: [
        outside("RawStructuredFieldValues", "swift-http-structured-headers", for: "Receiver")
      ],
      swiftSettings: strict),

    .target(name: "JSONText", swiftSettings: strict),

    // Libraries that other projects may depend on.
    .target(name: "MultipartForm", swiftSettings: strict),
    .target(
      name: "MultipartFormCodable", dependencies: ["MultipartForm"], swiftSettings: strict),
    .target(name: "MediaTypes", dependencies: ["CMagic"], swiftSettings: strict),
    .target(
      name: "Receiver",
      dependencies: [
        "Digests", "MultipartForm", "ScalarText", "UploadDraft",
        outside("NIOCore", "swift-nio", for: "Receiver"),
        outside("NIOHTTP1", "swift-nio", for: "Receiver"),
        outside("NIOPosix", "swift-nio", for: "Receiver"),
      ],
      swiftSettings: strict),

    // The program's own rooms.
    .target(
      name: "ReceiverDemos",
      dependencies: ["Digests", "JSONText", "Receiver", "ScalarText"],
      swiftSettings: strict),
    .target(
      name: "FileDiscovery", dependencies: ["MultipartForm", "ScalarText"], exclude: ["README.md"],
      swiftSettings: strict),
    .target(name: "Commands", dependencies: ["CChild", "ScalarText"], swiftSettings: strict),
    .target(
      name: "HTTPTransport", dependencies: ["CCurl"], exclude: ["README.md"], swiftSettings: strict),
    .target(
      name: "UploadModel",
      dependencies: [
        "CPCRE2", "Digests", "JSONText", "MultipartForm", "ScalarText", "UploadDraft",
      ], exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "Resuming",
      dependencies: [
        "JSONText", "MultipartForm", "ScalarText", "UploadDraft", "UploadModel",
      ], exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "Scheduling", dependencies: ["MultipartForm", "ScalarText", "UploadModel"],
      exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "UploadEngine",
      dependencies: [
        "Commands", "Digests", "HTTPTransport", "JSONText", "MultipartForm", "Resuming",
        "ScalarText", "Scheduling", "UploadModel",
      ], exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "UploadStore",
      dependencies: ["CSQLite", "MultipartForm", "ScalarText", "UploadModel"],
      exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "Queue",
      dependencies: ["MultipartForm", "Scheduling", "UploadEngine", "UploadModel", "UploadStore"],
      exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "Settings",
      dependencies: [
        "Commands", "JSONText", "ScalarText", "UploadModel",
        outside("TOMLKit", "TOMLKit", for: "Program"),
      ], exclude: ["README.md"],
      swiftSettings: strict, plugins: ["EmbedRecipes"]),
    .target(
      name: "Screens", dependencies: ["ScalarText", "Scheduling", "UploadModel"],
      exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "Terminal", dependencies: ["CNcurses", "CTerminalRescue", "ScalarText", "Screens"],
      exclude: ["README.md"],
      swiftSettings: strict + [.defaultIsolation(MainActor.self)]),
    .target(
      name: "ProcessContext",
      dependencies: [
        "Digests", "FileDiscovery", "JSONText", "MultipartForm", "ScalarText", "UploadEngine",
        "UploadModel",
      ], exclude: ["README.md"],
      swiftSettings: strict),
    .target(
      name: "Sessions",
      dependencies: [
        "Commands", "FileDiscovery", "JSONText", "MediaTypes", "MultipartForm", "ProcessContext",
        "Queue", "ScalarText", "Scheduling", "Screens", "Settings", "Terminal", "UploadEngine",
        "UploadModel", "UploadStore", outside("Logging", "swift-log", for: "Program"),
      ], exclude: ["README.md"],
      swiftSettings: strict),
    .executableTarget(
      name: "hoist",
      dependencies: [
        "CCommit", "FileDiscovery", "HTTPTransport", "JSONText", "MediaTypes", "MultipartForm",
        "ProcessContext", "Queue", "Receiver", "ReceiverDemos", "ScalarText", "Scheduling",
        "Screens", "Sessions", "Settings", "UploadEngine", "UploadModel", "UploadStore",
        outside("ArgumentParser", "swift-argument-parser", for: "Program"),
      ], exclude: ["README.md"],
      swiftSettings: strict),

    // Puts config/recipes into the program.
    .plugin(name: "EmbedRecipes", capability: .buildTool(), path: "Tools/build/embed-recipes"),

    // Benchmarks: ratios, printed by Benchmarks/*.sh.
    .executableTarget(
      name: "multipart-bench", dependencies: ["MultipartForm"], path: "Benchmarks/multipart",
      exclude: ["go", "python_multipart_peer.py"],
      swiftSettings: strict),

    .executableTarget(
      name: "queue-bench", dependencies: ["MultipartForm", "UploadModel", "UploadStore"],
      path: "Benchmarks/queue", swiftSettings: strict),

    .executableTarget(
      name: "scheduler-bench", dependencies: ["Scheduling", "UploadModel"],
      path: "Benchmarks/scheduler",
      swiftSettings: strict),

    .executableTarget(
      name: "screen-bench", dependencies: ["MultipartForm", "Screens", "UploadModel"],
      path: "Benchmarks/screen", exclude: ["attached.py", "bars.py", "run.py", "terminal.py"],
      swiftSettings: strict),

    .executableTarget(
      name: "transport-bench", dependencies: ["HTTPTransport"], path: "Benchmarks/transport",
      swiftSettings: strict),

    // The examples, which see no more of the libraries than another package would.
    .executableTarget(
      name: "send-form", dependencies: ["MultipartForm"], path: "Examples/Sources/send-form",
      packageAccess: false),
    .executableTarget(
      name: "code-form", dependencies: ["MultipartForm", "MultipartFormCodable"],
      path: "Examples/Sources/code-form", packageAccess: false),
    .executableTarget(
      name: "receive-form",
      dependencies: [
        "MultipartForm", outside("NIOCore", "swift-nio", for: "Receiver"),
        outside("NIOHTTP1", "swift-nio", for: "Receiver"),
        outside("NIOPosix", "swift-nio", for: "Receiver"),
      ],
      path: "Examples/Sources/receive-form", packageAccess: false),
    .executableTarget(
      name: "receive-reports", dependencies: ["Receiver"],
      path: "Examples/Sources/receive-reports", packageAccess: false),
    .executableTarget(
      name: "guess-type", dependencies: ["MediaTypes"], path: "Examples/Sources/guess-type",
      packageAccess: false),

    // Tests.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "MultipartOracle", dependencies: ["MultipartForm"], path: "Tests/MultipartOracle",
      swiftSettings: strict),
    .testTarget(
      name: "MultipartFormTests",
      dependencies: ["MultipartForm", "MultipartOracle", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "MultipartFormCodableTests", dependencies: ["MultipartForm", "MultipartFormCodable"],
      swiftSettings: strict),
    .executableTarget(
      name: "multipart-fuzz", dependencies: ["MultipartOracle", "TestSupport"], path: "Tests/Fuzz",
      exclude: ["corpus", "dictionary", "readers.sh", "run.sh"], swiftSettings: strict),
    .testTarget(
      name: "MediaTypesTests", dependencies: ["MediaTypes", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "JSONTextTests", dependencies: ["JSONText"], swiftSettings: strict),
    .testTarget(
      name: "UploadDraftTests", dependencies: ["UploadDraft"], swiftSettings: strict),
    .testTarget(
      name: "ReceiverTests",
      dependencies: [
        "Digests", "JSONText", "MultipartForm", "Receiver", "ReceiverDemos", "TestSupport",
        "UploadDraft",
        outside("NIOCore", "swift-nio", for: "Receiver"),
        outside("NIOEmbedded", "swift-nio", for: "Receiver"),
        outside("NIOHTTP1", "swift-nio", for: "Receiver"),
        outside("NIOPosix", "swift-nio", for: "Receiver"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CommandsTests", dependencies: ["Commands", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ScalarTextTests", dependencies: ["ScalarText", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: strict),
    .testTarget(name: "LintTests", dependencies: ["TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FileDiscoveryTests", dependencies: ["FileDiscovery", "MultipartForm", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "UploadModelTests",
      dependencies: [
        "Digests", "JSONText", "MultipartForm", "ScalarText", "TestSupport", "UploadModel",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ResumingTests",
      dependencies: ["JSONText", "MultipartForm", "Resuming", "UploadDraft", "UploadModel"],
      swiftSettings: strict),
    .testTarget(
      name: "SchedulingTests",
      dependencies: ["MultipartForm", "Scheduling", "TestSupport", "UploadModel"],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPTransportTests", dependencies: ["CCurl", "HTTPTransport", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "UploadEngineTests",
      dependencies: [
        "Digests", "HTTPTransport", "JSONText", "MultipartForm", "Scheduling", "TestSupport",
        "UploadDraft", "UploadEngine", "UploadModel",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "UploadStoreTests",
      dependencies: [
        "MultipartForm", "TestSupport", "UploadModel", "UploadStore",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "QueueTests",
      dependencies: [
        "MultipartForm", "Queue", "Scheduling", "TestSupport", "UploadEngine", "UploadModel",
        "UploadStore",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SettingsTests", dependencies: ["JSONText", "Settings", "TestSupport", "UploadModel"],
      swiftSettings: strict),
    .testTarget(
      name: "ScreensTests",
      dependencies: [
        "MultipartForm", "ScalarText", "Scheduling", "Screens", "TestSupport", "UploadModel",
      ],
      exclude: ["Goldens"],
      swiftSettings: strict),
    .testTarget(
      name: "TerminalTests",
      dependencies: [
        "CNcurses", "Screens", "Terminal", "TerminalDriver", "TestSupport", "UploadModel",
      ],
      exclude: ["Goldens"],
      swiftSettings: strict),
    .executableTarget(
      name: "TerminalDriver",
      dependencies: ["MultipartForm", "Screens", "Terminal", "UploadModel"],
      path: "Tests/TerminalDriver", swiftSettings: strict),
    .testTarget(
      name: "ProcessContextTests",
      dependencies: ["JSONText", "ProcessContext", "TestSupport", "UploadModel"],
      swiftSettings: strict),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "FileDiscovery", "MultipartForm", "ProcessContext", "Queue", "Scheduling", "Screens",
        "Sessions", "Settings", "TestSupport", "UploadEngine", "UploadModel", "UploadStore",
      ],
      exclude: ["Goldens"],
      swiftSettings: strict),
    .testTarget(
      name: "HoistTests",
      dependencies: [
        "hoist", "MultipartForm", "ProcessContext", "Receiver", "Settings", "TestSupport",
        "UploadModel", "UploadStore",
        outside("ArgumentParser", "swift-argument-parser", for: "Program"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReaderTests",
      dependencies: [
        "FileDiscovery", "hoist", "HTTPTransport", "JSONText", "MultipartForm", "Queue", "Receiver",
        "Resuming", "ScalarText", "Scheduling", "Screens", "Sessions", "Settings", "Terminal",
        "TestSupport", "UploadDraft", "UploadModel",
        outside("NIOHTTP1", "swift-nio", for: "Receiver"),
      ],
      exclude: ["Corpus"],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "hoist", "JSONText", "ProcessContext", "TestSupport", "UploadEngine", "UploadModel",
        "UploadStore",
      ],
      exclude: ["Peers"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
