// The options of a transfer that URLSession does not expose, set on libcurl's own handle.
//
// On Linux, URLSession runs on libcurl and calls it through the dynamic linker. An executable that
// exports functions of libcurl's names is asked first; the ones here set what is wanted on the handle
// and pass the call on. Where the executable does not export them, nothing breaks and nothing is
// set: `hoist_curl_hook_transfers` stays 0, and whoever depends on an option must look there.
#ifndef HOIST_CCURLHOOK_H
#define HOIST_CCURLHOOK_H

// What a transfer shall be given. A zero leaves libcurl's own value.
struct hoist_transfer_options {
  long upload_buffer_bytes;  // CURLOPT_UPLOAD_BUFFERSIZE, 16 KiB to 2 MiB
};

// Called on the thread that starts the transfer, with the URL that it goes to.
typedef void (*hoist_configure_transfer)(const char *url, struct hoist_transfer_options *options);

// Has `configure` asked for every transfer that starts from now on; NULL for none.
void hoist_curl_hook_install(hoist_configure_transfer configure);

// How many transfers have gone through the hook since the program started.
unsigned long hoist_curl_hook_transfers(void);

// Bounds what all transfers send together, in bytes a second, from now on and for those under way
// too; 0 for no bound. Each transfer gets an equal share.
void hoist_curl_hook_limit(long long bytes_per_second);

#endif
