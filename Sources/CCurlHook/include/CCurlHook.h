// The options of a transfer that URLSession does not expose, set on libcurl's own handle.
//
// On Linux, URLSession runs on libcurl and calls it through the dynamic linker. An executable that
// exports functions of libcurl's names is asked first; the ones here set what is wanted on the handle
// and pass the call on. Where the executable does not export them, nothing breaks and nothing is
// set: whoever depends on an option must ask `hoist_curl_hook_is_in_force` first.
#ifndef HOIST_CCURLHOOK_H
#define HOIST_CCURLHOOK_H

#include <stdbool.h>

// What a transfer shall be given. A zero leaves libcurl's own value. The strings are made with
// strdup by whoever fills this in; the hook frees them once libcurl has its copies.
struct hoist_transfer_options {
  long upload_buffer_bytes;  // CURLOPT_UPLOAD_BUFFERSIZE, 16 KiB to 2 MiB
  long most_idle_seconds;    // CURLOPT_MAXAGE_CONN; libcurl counts whole seconds
  int http;                  // 1 for HTTP/1.1, 2 for HTTP/2 where the server speaks it
  char *ca_file;             // CURLOPT_CAINFO, instead of the system's authorities
  char *pinned_key;          // CURLOPT_PINNEDPUBLICKEY; alone, it stands for chain and name
  char *client_certificate;  // CURLOPT_SSLCERT, PEM
  char *client_key;          // CURLOPT_SSLKEY, PEM without a pass phrase
};

// How much is taken of a reply, in bytes: to a request that may have a body, and to a GET. After that the
// transfer ends, and libcurl's sentence then is HOIST_TOO_LONG. It ends so, too, where less than that comes
// in more than HOIST_MOST_PIECES pieces, or eight times as many for a GET.
enum { HOIST_MOST_REPLY = 1 << 20, HOIST_MOST_CONTENT = 8 << 20, HOIST_MOST_PIECES = 8192 };
#define HOIST_TOO_LONG "hoist takes no more of the reply"

// Called on the thread that starts the transfer, with the URL that it goes to. Returns whether the
// transfer may go on; one that may not, or whose security options libcurl does not take, fails before
// it connects, and libcurl's sentence then names the protocol HOIST_REFUSED.
typedef bool (*hoist_configure_transfer)(const char *url, struct hoist_transfer_options *options);
#define HOIST_REFUSED "hoist-refused"

// Has `configure` asked for every transfer that starts from now on; NULL for none.
void hoist_curl_hook_install(hoist_configure_transfer configure);

// Whether transfers go through the hook: whether the dynamic linker answers libcurl's names with the
// functions here. Known before the first transfer.
bool hoist_curl_hook_is_in_force(void);

// How many requests have been begun at the origin of `url` (and at others, which only adds to them): each
// counts once there is a connection, with TLS where that is asked for, and its head is about to be sent.
// While it stays the same, none has left. -1 where libcurl does not tell.
long long hoist_curl_begun(const char *url);

// Bounds what all transfers send together, in bytes a second, from now on and for those under way
// too; 0 for no bound. Each transfer gets an equal share.
void hoist_curl_hook_limit(long long bytes_per_second);

// What a server shows of itself in a TLS handshake.
struct hoist_certificate {
  long error;           // libcurl's code; 0 where the handshake came about
  char message[256];    // libcurl's sentence where it did not
  char *pem;            // the server's own certificate in PEM, to be freed; NULL where there was none
};

// Connects to the server of an https URL, shakes hands and hangs up; no request is sent. With
// `verify`, the system's rules apply and a server that breaks them is an error. Without, it is only
// looked at, whoever it is. Goes through the same proxies as an upload. Blocks, for 30 s at most.
void hoist_curl_look_at(const char *url, bool verify, struct hoist_certificate *certificate);

#endif
