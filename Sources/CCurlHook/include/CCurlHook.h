#pragma once
int hoist_curl_hook_calls(void);
