// swift-tools-version: 6.2
import PackageDescription

// Programs that use the libraries as another project would: from outside, by their public interface alone.
let package = Package(
  name: "Examples",
  dependencies: [
    .package(name: "hoist", path: "..", traits: ["Receiver"]),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.25.0"),
  ],
  targets: [
    .executableTarget(
      name: "send-form", dependencies: [.product(name: "MultipartForm", package: "hoist")]),
    .executableTarget(
      name: "code-form",
      dependencies: [
        .product(name: "MultipartForm", package: "hoist"),
        .product(name: "MultipartFormCodable", package: "hoist"),
      ]),
    .executableTarget(
      name: "send-async",
      dependencies: [
        .product(name: "MultipartForm", package: "hoist"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "receive-form",
      dependencies: [
        .product(name: "MultipartForm", package: "hoist"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "receive-reports", dependencies: [.product(name: "Receiver", package: "hoist")]),
    .executableTarget(
      name: "guess-type", dependencies: [.product(name: "MediaTypes", package: "hoist")]),
  ],
  swiftLanguageModes: [.v6]
)
