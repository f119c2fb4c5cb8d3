// Bounds what is taken of a reply.
//
// URLSession hands on whatever comes, as fast as it comes, and while it reads from two connections, nobody
// can tell it to stop: a reply without an end would take all memory. And each piece of one, be it a byte in
// a chunk of its own, costs URLSession several kilobytes until the engine has seen it. So libcurl's
// callbacks are counted on their way to URLSession; the first that is too many ends the transfer.
#ifndef HOIST_REPLIES_H
#define HOIST_REPLIES_H

#include <curl/curl.h>

typedef CURLcode (*hoist_easy_setopt)(CURL *, CURLoption, ...);
typedef void (*hoist_function)(void);

// What the session says of a transfer before it begins; what does not matter here is passed over.
void hoist_replies_note_function(CURL *transfer, CURLoption option, hoist_function function);
void hoist_replies_note_pointer(CURL *transfer, CURLoption option, void *pointer);
void hoist_replies_note_number(CURL *transfer, CURLoption option, long number);

// Stands between the transfer and the callbacks that were noted, from its beginning on.
void hoist_replies_bound(CURL *transfer, hoist_easy_setopt setopt);

// After each action of libcurl: gives the transfers that were ended in it HOIST_TOO_LONG for libcurl's
// sentence, which is another one in each of its versions.
void hoist_replies_name_ends(void);

// What is kept of a transfer that is about to be no more, to be freed when it is.
void *hoist_replies_leave(CURL *transfer);

#endif
