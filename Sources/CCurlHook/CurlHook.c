#define _GNU_SOURCE
#include "CCurlHook.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

// The parenthesised names keep curl's type-checking macros out of the way.
typedef CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
typedef CURLMcode (*multi_add_handle)(CURLM *, CURL *);

static _Atomic(hoist_configure_transfer) configuration;
static atomic_ulong transfers;

void hoist_curl_hook_install(hoist_configure_transfer configure) {
  atomic_store(&configuration, configure);
}

unsigned long hoist_curl_hook_transfers(void) { return atomic_load(&transfers); }

static void apply(CURL *transfer) {
  easy_setopt setopt = (easy_setopt)dlsym(RTLD_NEXT, "curl_easy_setopt");
  easy_getinfo getinfo = (easy_getinfo)dlsym(RTLD_NEXT, "curl_easy_getinfo");
  hoist_configure_transfer configure = atomic_load(&configuration);
  if (setopt == NULL || getinfo == NULL || configure == NULL) return;

  char *url = NULL;
  if (getinfo(transfer, CURLINFO_EFFECTIVE_URL, &url) != CURLE_OK || url == NULL) return;

  struct hoist_transfer_options options = {0};
  configure(url, &options);
  if (options.upload_buffer_bytes > 0)
    setopt(transfer, CURLOPT_UPLOAD_BUFFERSIZE, options.upload_buffer_bytes);
  atomic_fetch_add(&transfers, 1);
}

// Stands in front of libcurl's function of the same name. `retain` and `used` keep it in a release
// build, in which nothing seems to call it.
__attribute__((used, retain, visibility("default")))
CURLMcode(curl_multi_add_handle)(CURLM *multi, CURL *transfer) {
  multi_add_handle real = (multi_add_handle)dlsym(RTLD_NEXT, "curl_multi_add_handle");
  if (real == NULL) return CURLM_INTERNAL_ERROR;
  apply(transfer);
  return real(multi, transfer);
}
