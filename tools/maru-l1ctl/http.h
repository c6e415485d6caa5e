/* SPDX-License-Identifier: GPL-2.0-only */
/* A small HTTP server, by libmicrohttpd: one path, one text, one thread. */
#ifndef MARU_CTL_HTTP_H
#define MARU_CTL_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct http_address {
	struct sockaddr_storage address;
	socklen_t len;
};

/* "127.0.0.1:9464" or "[::1]:9464"; names are not looked up. */
bool http_parse(const char *text, struct http_address *address);

/* The text at this moment, from malloc(). */
typedef char *(*http_text)(size_t *bytes, void *arg);

/*
 * Serves what @text returns under @path until SIGINT or SIGTERM.  Return: CTL_OK, or
 * CTL_FAILED after saying why.
 */
int http_serve(const struct http_address *address, const char *path, const char *type,
	       http_text text, void *arg);

#endif
