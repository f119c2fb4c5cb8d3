// Which sockets URLSession watches, and for what: what libcurl asks for, and no more.
//
// URLSession never takes back its wish to write: once libcurl has sent its request and only waits for
// the reply, Dispatch goes on reporting that the socket can be written to, as fast as it can, and a
// processor is busy until the reply comes. Here the wish is taken back. And a socket that can be
// written to at once, as almost all can, is written to at once; a source in Dispatch, with two threads
// to be woken, is made only where there is something to wait for. And where several sockets always take
// more, they do not keep the session's queue from everybody else for ever.
#ifndef HOIST_SOCKETS_H
#define HOIST_SOCKETS_H

#include <curl/curl.h>

typedef CURLMcode (*hoist_multi_socket_action)(CURLM *, curl_socket_t, int, int *);
typedef CURLMcode (*hoist_multi_assign)(CURLM *, curl_socket_t, void *);

// Notes who wants to be told of sockets (CURLMOPT_SOCKETFUNCTION) and with what (CURLMOPT_SOCKETDATA).
void hoist_sockets_note_callback(curl_socket_callback callback);
void hoist_sockets_note_data(CURLM *multi, void *data);

// Notes what the session keeps with a socket (curl_multi_assign).
void hoist_sockets_note_assigned(curl_socket_t socket, void *assigned);

// To be called by what libcurl calls instead.
int hoist_sockets_callback(
    CURL *easy, curl_socket_t socket, int what, void *data, void *assigned,
    hoist_multi_assign assign);

// Does libcurl's socket action, and what it wants to do next to sockets that are ready for it.
CURLMcode hoist_sockets_act(
    CURLM *multi, curl_socket_t socket, int events, int *running, hoist_multi_socket_action act,
    hoist_multi_assign assign);

#endif
