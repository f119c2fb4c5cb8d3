#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "CCurlHook.h"

// The server's own certificate, which comes first, out of libcurl's list of "name:value" lines.
static char *first_certificate(CURL *handle) {
  struct curl_certinfo *chain = NULL;
  if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain) return NULL;
  if (chain->num_of_certs < 1) return NULL;
  for (struct curl_slist *line = chain->certinfo[0]; line; line = line->next)
    if (strncmp(line->data, "Cert:", 5) == 0) return strdup(line->data + 5);
  return NULL;
}

void hoist_curl_look_at(const char *url, bool verify, struct hoist_certificate *certificate) {
  *certificate = (struct hoist_certificate){.error = CURLE_FAILED_INIT};
  CURL *handle = curl_easy_init();
  if (!handle) return;
  char words[CURL_ERROR_SIZE] = "";
  CURLcode code = curl_easy_setopt(handle, CURLOPT_URL, url);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CERTINFO, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words);
  if (code == CURLE_OK && !verify) {
    code = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (code == CURLE_OK) code = curl_easy_perform(handle);
  certificate->error = code;
  if (code == CURLE_OK) certificate->pem = first_certificate(handle);
  snprintf(certificate->message, sizeof certificate->message, "%s",
           words[0] || code == CURLE_OK ? words : curl_easy_strerror(code));
  curl_easy_cleanup(handle);
}
