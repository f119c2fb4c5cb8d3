import Testing
import UploadModel

@Suite("Secrets in addresses that a text contains")
struct SecretQueryTests {
  @Test(
    "are replaced, and nothing else",
    arguments: [
      ("https://h/a.jpg", nil), ("https://h/?id=7&page=2", nil), ("", nil), ("a=b", nil),
      ("status=ok, sig nature", nil), ("me@host: https://h/@a", nil), ("token=", nil),
      ("https://h/?X-Amz-Signature=ab12&x=1", "https://h/?X-Amz-Signature=(secret)&x=1"),
      ("https://h/?a=1&sig=x%2By#top", "https://h/?a=1&sig=(secret)#top"),
      ("https://h/#access_token=abc", "https://h/#access_token=(secret)"),
      ("see https://h/?token=a'b c", "see https://h/?token=(secret)'b c"),
      ("{\"url\":\"https://h/?token=abc\"}", "{\"url\":\"https://h/?token=(secret)\"}"),
      ("<a href=\"/?a=1&amp;key=k\">", "<a href=\"/?a=1&amp;key=(secret)\">"),
      ("\"/?a=1\\u0026token=k\"", "\"/?a=1\\u0026token=(secret)\""),
      ("/go?to=%2F%3Ftoken%3Dabc%26b%3D1", "/go?to=%2F%3Ftoken%3D(secret)%26b%3D1"),
      ("/?%74oken=abc", nil), ("/?token\u{301}=abc", nil),
      ("/?token=\u{301}abc", "/?token=(secret)"), ("/?token==a=b&c", "/?token=(secret)&c"),
      ("ftp://me:pw@h/a", "ftp://(secret)@h/a"), ("http://a@b@h", "http://(secret)@h"),
    ])
  func hidden(text: String, shown: String?) {
    #expect(SecretQuery.hidden(in: text).utf8.elementsEqual((shown ?? text).utf8))
  }
}
