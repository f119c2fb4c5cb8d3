// swift-tools-version: 6.2
import PackageDescription

// Programs that use `MultipartForm` as another project would: from outside, by its public interface alone.
let package = Package(
  name: "Examples",
  dependencies: [
    .package(name: "hoist", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "send-form", dependencies: [.product(name: "MultipartForm", package: "hoist")]),
    .executableTarget(
      name: "receive-form",
      dependencies: [
        .product(name: "MultipartForm", package: "hoist"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
