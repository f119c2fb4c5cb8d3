// OpenSSL's hash functions as plain structs (SHA256_Init and its like). OpenSSL 3 prefers its EVP interface, but that
// sets libcrypto up for the whole process, and takes it down again in exit(), which a program with the receiver in it may
// call while other threads still compute.
// Reading a certificate does so too, but a certificate comes from a TLS handshake, for which libcurl has done it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
