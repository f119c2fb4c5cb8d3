#define _GNU_SOURCE
#include "CCurlHook.h"
#include "Replies.h"
#include "Sockets.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// The parenthesised names keep curl's type-checking macros out of the way.
typedef void (*easy_cleanup)(CURL *);
typedef CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
typedef CURLMcode (*multi_add_handle)(CURLM *, CURL *);
typedef CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
typedef CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);

// libcurl's own functions, found once.
static struct {
  hoist_easy_setopt setopt;
  easy_cleanup cleanup;
  easy_getinfo getinfo;
  multi_add_handle add;
  multi_remove_handle remove;
  hoist_multi_socket_action act;
  multi_setopt set;
  hoist_multi_assign assign;
} real;
static pthread_once_t found = PTHREAD_ONCE_INIT;

static void find(void) {
  real.setopt = (hoist_easy_setopt)dlsym(RTLD_NEXT, "curl_easy_setopt");
  real.cleanup = (easy_cleanup)dlsym(RTLD_NEXT, "curl_easy_cleanup");
  real.getinfo = (easy_getinfo)dlsym(RTLD_NEXT, "curl_easy_getinfo");
  real.add = (multi_add_handle)dlsym(RTLD_NEXT, "curl_multi_add_handle");
  real.remove = (multi_remove_handle)dlsym(RTLD_NEXT, "curl_multi_remove_handle");
  real.act = (hoist_multi_socket_action)dlsym(RTLD_NEXT, "curl_multi_socket_action");
  real.set = (multi_setopt)dlsym(RTLD_NEXT, "curl_multi_setopt");
  real.assign = (hoist_multi_assign)dlsym(RTLD_NEXT, "curl_multi_assign");
}

static bool is_complete(void) {
  pthread_once(&found, find);
  return real.setopt && real.cleanup && real.getinfo && real.add && real.remove && real.act &&
         real.set && real.assign;
}

static _Atomic(hoist_configure_transfer) configuration;
static atomic_llong limit;
static atomic_bool limit_is_news;

#ifdef __GLIBC__
// URLSession allocates the buffer of each piece of a body on one thread and frees it on another. With
// an arena for each of them, memory is kept in all, and fragmented. And glibc gives the top of the heap
// back as soon as it exceeds 128 KiB, only to ask for it again: each time, all threads are interrupted
// on all processors, a tenth of the cost of small files. mallopt is not safe once there are threads, so
// this comes before main.
__attribute__((constructor)) static void share_memory(void) {
  mallopt(M_ARENA_MAX, 1);
  // One that is set by hand ends all of them from growing by themselves. Pieces of up to 2 MiB come
  // from the heap, and as much as some lanes have of them stays there.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}
#endif

void hoist_curl_hook_install(hoist_configure_transfer configure) {
  atomic_store(&configuration, configure);
}

bool hoist_curl_hook_is_in_force(void) {
  return is_complete() &&
         dlsym(RTLD_DEFAULT, "curl_multi_add_handle") == (void *)(curl_multi_add_handle);
}

void hoist_curl_hook_limit(long long bytes_per_second) {
  atomic_store(&limit, bytes_per_second);
  atomic_store(&limit_is_news, true);
}

// The transfers under way. URLSession works on one serial queue, so nobody else touches the handles
// while one of the functions below runs; the lock is for sessions that might have other ideas.
enum { MOST = 1024 };
static CURL *under_way[MOST];
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void share_limit(void) {
  long long bound = atomic_load(&limit);
  curl_off_t share = bound > 0 && count > 0 ? bound / (long long)count : 0;
  if (bound > 0 && share < 1) share = 1;
  for (size_t index = 0; index < count; index++)
    real.setopt(under_way[index], CURLOPT_MAX_SEND_SPEED_LARGE, share);
}

static void forget(CURL *transfer) {
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < count; index++) {
    if (under_way[index] != transfer) continue;
    under_way[index] = under_way[--count];
    if (atomic_load(&limit) > 0) share_limit();
    break;
  }
  pthread_mutex_unlock(&lock);
}

// Whether libcurl takes every option that the transfer's security rests on.
static bool secure(CURL *transfer, const struct hoist_transfer_options *options) {
  bool taken = true;
  if (options->ca_file)
    taken = taken && real.setopt(transfer, CURLOPT_CAINFO, options->ca_file) == CURLE_OK &&
            real.setopt(transfer, CURLOPT_CAPATH, NULL) == CURLE_OK;
  if (options->pinned_key)
    taken = taken &&
            real.setopt(transfer, CURLOPT_PINNEDPUBLICKEY, options->pinned_key) == CURLE_OK;
  // Only once the pin is in place, and only if nothing else is asked for.
  if (taken && options->pinned_key && !options->ca_file)
    taken = real.setopt(transfer, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK &&
            real.setopt(transfer, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK;
  if (options->client_certificate)
    // Without a pass phrase of ours, OpenSSL would ask for one on the terminal.
    taken = taken &&
            real.setopt(transfer, CURLOPT_SSLCERT, options->client_certificate) == CURLE_OK &&
            real.setopt(transfer, CURLOPT_KEYPASSWD, "") == CURLE_OK;
  if (options->client_key)
    taken = taken && real.setopt(transfer, CURLOPT_SSLKEY, options->client_key) == CURLE_OK;
  return taken;
}

// Requests begun, by the hash of their origin. Two that share a place only make one another doubtful; with
// so many places, of which few are ever touched, they seldom do.
enum { ORIGINS = 1 << 16 };
static atomic_llong begun[ORIGINS];
static atomic_bool is_blind;

static atomic_llong *counter(const char *url) {
  unsigned long hash = 5381;
  for (int slashes = 0; *url && *url != '?' && *url != '#'; url++) {
    if (*url == '/' && ++slashes == 3) break;
    hash = hash * 33 + (unsigned char)(*url >= 'A' && *url <= 'Z' ? *url + 32 : *url);
  }
  return &begun[hash % ORIGINS];
}

static int note_begun(void *counter, char *to, char *from, int to_port, int from_port) {
  (void)to, (void)from, (void)to_port, (void)from_port;
  atomic_fetch_add((atomic_llong *)counter, 1);
  return CURL_PREREQFUNC_OK;
}

long long hoist_curl_begun(const char *url) {
  if (atomic_load(&is_blind) || !hoist_curl_hook_is_in_force()) return -1;
  return atomic_load(counter(url));
}

// Returns false where the transfer must not go on.
static bool configure(CURL *transfer) {
  hoist_configure_transfer ask = atomic_load(&configuration);
  if (ask == NULL) return true;
  char *url = NULL;
  if (real.getinfo(transfer, CURLINFO_EFFECTIVE_URL, &url) != CURLE_OK || !url) return false;
  struct hoist_transfer_options options = {0};
  bool goes_on = ask(url, &options) && secure(transfer, &options);
  if (options.upload_buffer_bytes > 0)
    real.setopt(transfer, CURLOPT_UPLOAD_BUFFERSIZE, options.upload_buffer_bytes);
  if (real.setopt(transfer, CURLOPT_PREREQFUNCTION, note_begun) != CURLE_OK ||
      real.setopt(transfer, CURLOPT_PREREQDATA, counter(url)) != CURLE_OK)
    atomic_store(&is_blind, true);
  hoist_replies_bound(transfer, real.setopt);
  // URLSession would take a proxy's "200 Connection established" for the server's reply.
  if (real.setopt(transfer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) != CURLE_OK) goes_on = false;
  if (options.most_idle_seconds > 0)
    real.setopt(transfer, CURLOPT_MAXAGE_CONN, options.most_idle_seconds);
  if (options.http > 0)
    real.setopt(transfer, CURLOPT_HTTP_VERSION,
                (long)(options.http == 2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  free(options.ca_file);
  free(options.pinned_key);
  free(options.client_certificate);
  free(options.client_key);
  return goes_on;
}

// Those that stand in front of libcurl's. `retain` and `used` keep them in a release build, in
// which nothing seems to call them.
#define IN_FRONT __attribute__((used, retain, visibility("default")))

IN_FRONT CURLcode(curl_easy_setopt)(CURL *transfer, CURLoption option, ...) {
  if (!is_complete()) return CURLE_FAILED_INIT;
  va_list list;
  va_start(list, option);
  CURLcode code;
  // An option's number says what kind of argument it has.
  if (option >= CURLOPTTYPE_BLOB) {
    code = real.setopt(transfer, option, va_arg(list, struct curl_blob *));
  } else if (option >= CURLOPTTYPE_OFF_T) {
    code = real.setopt(transfer, option, va_arg(list, curl_off_t));
  } else if (option >= CURLOPTTYPE_FUNCTIONPOINT) {
    hoist_function function = va_arg(list, hoist_function);
    hoist_replies_note_function(transfer, option, function);
    code = real.setopt(transfer, option, function);
  } else if (option >= CURLOPTTYPE_OBJECTPOINT) {
    void *pointer = va_arg(list, void *);
    hoist_replies_note_pointer(transfer, option, pointer);
    code = real.setopt(transfer, option, pointer);
  } else {
    long number = va_arg(list, long);
    hoist_replies_note_number(transfer, option, number);
    code = real.setopt(transfer, option, number);
  }
  va_end(list);
  return code;
}

IN_FRONT void(curl_easy_cleanup)(CURL *transfer) {
  if (!is_complete()) return;
  // Its number may be another's as soon as it is no more, and until then it may look at its reply.
  void *reply = hoist_replies_leave(transfer);
  real.cleanup(transfer);
  free(reply);
}

IN_FRONT CURLMcode(curl_multi_add_handle)(CURLM *multi, CURL *transfer) {
  if (!is_complete()) return CURLM_INTERNAL_ERROR;
  // URLSession does not survive an error from here. A URL that leads nowhere fails the transfer as any
  // other; only if even that cannot be set is the error the lesser evil.
  if (!configure(transfer) &&
      real.setopt(transfer, CURLOPT_URL, HOIST_REFUSED "://nowhere/") != CURLE_OK)
    return CURLM_OUT_OF_MEMORY;
  pthread_mutex_lock(&lock);
  if (count < MOST) under_way[count++] = transfer;
  if (atomic_load(&limit) > 0) share_limit();
  pthread_mutex_unlock(&lock);
  CURLMcode code = real.add(multi, transfer);
  if (code != CURLM_OK) forget(transfer);
  return code;
}

IN_FRONT CURLMcode(curl_multi_remove_handle)(CURLM *multi, CURL *transfer) {
  if (!is_complete()) return CURLM_INTERNAL_ERROR;
  forget(transfer);
  return real.remove(multi, transfer);
}

IN_FRONT CURLMcode(curl_multi_socket_action)(
    CURLM *multi, curl_socket_t socket, int events, int *running) {
  if (!is_complete()) return CURLM_INTERNAL_ERROR;
  // A changed bound reaches transfers under way here, on the thread that owns them.
  if (atomic_exchange(&limit_is_news, false)) {
    pthread_mutex_lock(&lock);
    share_limit();
    pthread_mutex_unlock(&lock);
  }
  CURLMcode code = hoist_sockets_act(multi, socket, events, running, real.act, real.assign);
  hoist_replies_name_ends();
  return code;
}

IN_FRONT CURLMcode(curl_multi_assign)(CURLM *multi, curl_socket_t socket, void *assigned) {
  if (!is_complete()) return CURLM_INTERNAL_ERROR;
  hoist_sockets_note_assigned(socket, assigned);
  return real.assign(multi, socket, assigned);
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *data, void *assigned) {
  return hoist_sockets_callback(easy, socket, what, data, assigned, real.assign);
}

IN_FRONT CURLMcode(curl_multi_setopt)(CURLM *multi, CURLMoption option, ...) {
  if (!is_complete()) return CURLM_INTERNAL_ERROR;
  va_list list;
  va_start(list, option);
  CURLMcode code;
  // An option's number says what kind of argument it has.
  if (option >= CURLOPTTYPE_OFF_T) {
    code = real.set(multi, option, va_arg(list, curl_off_t));
  } else if (option == CURLMOPT_SOCKETFUNCTION) {
    curl_socket_callback callback = va_arg(list, curl_socket_callback);
    hoist_sockets_note_callback(callback);
    code = real.set(multi, option, callback ? watch : NULL);
  } else if (option >= CURLOPTTYPE_OBJECTPOINT) {
    void *pointer = va_arg(list, void *);
    if (option == CURLMOPT_SOCKETDATA) hoist_sockets_note_data(multi, pointer);
    code = real.set(multi, option, pointer);
  } else {
    code = real.set(multi, option, va_arg(list, long));
  }
  va_end(list);
  return code;
}
