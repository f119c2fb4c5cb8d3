import Testing
import UploadModel

@Suite struct ByteCountTests {
  @Test(arguments: [
    ("300", 300), ("1 kB", 1000), ("64 MiB", 67_108_864), ("2.5MB", 2_500_000),
    ("1g", 1_000_000_000),
    ("1 KiB", 1024), ("0.5 k", 500),
  ])
  func sizes(text: String, bytes: Int64) { #expect(ByteCount.size(text) == bytes) }

  @Test(arguments: [
    "", "MB", "-1", "1 XB", "1e3", "0", "1..2 MB", "99999999 TB", "1 MB extra", "２",
  ])
  func noSizes(text: String) { #expect(ByteCount.size(text) == nil) }

  @Test(arguments: [
    ("2 MB/s", 2_000_000), ("500k", 500_000), ("1 MiB/s", 1_048_576), ("3mbps", 3_000_000),
  ])
  func speeds(text: String, bytes: Int64) { #expect(ByteCount.speed(text) == bytes) }

  @Test(
    "a number without a unit is no speed: it may be meant in megabytes", arguments: ["2", "2/s"])
  func bareNumbers(text: String) { #expect(ByteCount.speed(text) == nil) }
}
