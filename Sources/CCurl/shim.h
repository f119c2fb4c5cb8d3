// libcurl for Swift, which cannot call variadic functions: one plain function for each kind of argument.
// Beside it what the transport asks the kernel about its sockets. No logic.
#ifndef HOIST_CCURL_H
#define HOIST_CCURL_H

#include <curl/curl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static inline CURLcode hoist_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode hoist_set_size(CURL *easy, CURLoption option, int64_t value) {
  return (curl_easy_setopt)(easy, option, (curl_off_t)value);
}
static inline CURLcode hoist_set_text(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode hoist_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode hoist_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return (curl_easy_setopt)(easy, option, value);
}
// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*hoist_take)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode hoist_set_take(CURL *easy, CURLoption option, hoist_take value) {
  return (curl_easy_setopt)(easy, option, value);
}
// For CURLOPT_READFUNCTION.
typedef size_t (*hoist_give)(char *buffer, size_t size, size_t count, void *context);
static inline CURLcode hoist_set_give(CURL *easy, hoist_give value) {
  return (curl_easy_setopt)(easy, CURLOPT_READFUNCTION, value);
}
static inline CURLcode hoist_set_seek(CURL *easy, int (*value)(void *, curl_off_t, int)) {
  return (curl_easy_setopt)(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode hoist_set_prereq(CURL *easy, int (*value)(void *, char *, char *, int, int)) {
  return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode hoist_set_debug(
    CURL *easy, int (*value)(CURL *, curl_infotype, char *, size_t, void *)) {
  return (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, value);
}
static inline CURLcode hoist_set_open_socket(
    CURL *easy, curl_socket_t (*value)(void *, curlsocktype, struct curl_sockaddr *)) {
  return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode hoist_set_close_socket(CURL *easy, int (*value)(void *, curl_socket_t)) {
  return (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLMcode hoist_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}
static inline CURLMcode hoist_multi_set_watch(CURLM *multi, curl_socket_callback value, void *context) {
  CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
  return code == CURLM_OK ? (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, value) : code;
}

// A share of nothing but cookies; NULL if memory is short.
static inline CURLSH *hoist_share_of_cookies(void) {
  CURLSH *share = curl_share_init();
  if (share == NULL) return NULL;
  if ((curl_share_setopt)(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == CURLSHE_OK) return share;
  curl_share_cleanup(share);
  return NULL;
}

// What curl_easy_getinfo knows of a number; 0 where it does not.
static inline long hoist_info_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}
static inline int64_t hoist_info_size(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}
static inline void *hoist_info_private(CURL *easy) {
  char *value = NULL;
  return (curl_easy_getinfo)(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}
static inline struct curl_certinfo *hoist_info_certificates(CURL *easy) {
  struct curl_certinfo *chain = NULL;
  return (curl_easy_getinfo)(easy, CURLINFO_CERTINFO, &chain) == CURLE_OK ? chain : NULL;
}
static inline CURL *hoist_finished(CURLMsg *message, CURLcode *code) {
  *code = message->data.result;
  return message->msg == CURLMSG_DONE ? message->easy_handle : NULL;
}

// Bytes in a TCP socket's send queue that the other side has not acknowledged (tcp(7), SIOCOUTQ);
// -1 where the kernel does not say.
static inline int hoist_unacknowledged(int socket) {
  int bytes = -1;
  return ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

// Bytes in a TCP socket's send queue that have not left yet (SIOCOUTQNSD of <linux/sockios.h>); -1 where the kernel does
// not say.
static inline int hoist_unsent(int socket) {
  int bytes = -1;
  return ioctl(socket, 0x894B, &bytes) == 0 ? bytes : -1;
}

// Bytes that have arrived at a socket and were not read yet (tcp(7), SIOCINQ); 0 where the kernel does not say.
static inline int hoist_unread(int socket) {
  int bytes = 0;
  return ioctl(socket, FIONREAD, &bytes) == 0 ? bytes : 0;
}

// What the kernel knows of a TCP connection.
struct hoist_connection {
  int64_t acknowledged;  // bytes that the other side has acknowledged since the connection was made
  double round_trip;     // in seconds, as it was measured
  int segment;           // the most bytes that are sent in one segment
  double silence;        // seconds since data was last sent
  int state;             // TCP_ESTABLISHED and so on; -1 where the kernel does not say
};
static inline struct hoist_connection hoist_look_at(int socket) {
  // The beginning of Linux's own struct tcp_info. glibc's header ends before the counts, and Linux's
  // cannot stand beside glibc's.
  struct {
    struct tcp_info known;
    uint64_t pacing_rate, most_pacing_rate, bytes_acked;
  } info = {0};
  socklen_t size = sizeof info;
  struct hoist_connection found = {0, 0, 0, 0, -1};
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < sizeof info) return found;
  found.state = info.known.tcpi_state;
  found.segment = (int)info.known.tcpi_snd_mss;
  found.silence = info.known.tcpi_last_data_sent / 1e3;
  found.round_trip = info.known.tcpi_rtt / 1e6;
  found.acknowledged = (int64_t)info.bytes_acked;
  return found;
}
_Static_assert(sizeof(struct tcp_info) == 104, "the counts follow at their place in Linux's struct");

#endif
