// OpenSSL's hash functions as plain structs (SHA256_Init and its like). OpenSSL 3 prefers its EVP interface, but that
// sets libcrypto up for the whole process, and takes it down again in exit() while other threads may still compute.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
