#include "CCurlHook.h"
int hoist_curl_hook_calls(void) { return 0; }
