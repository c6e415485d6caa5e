// SPDX-License-Identifier: GPL-2.0-only
/*
 * One thread and one loop: a connection waits in libmicrohttpd's epoll, and every
 * answer is made when its request is complete.  A connection has one request and
 * TIME_MS in all, however slowly it sends: none can keep its place by trickling.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <microhttpd.h>
#include "ending.h"
#include "http.h"
#include "util.h"

#define CONNECTIONS	64
#define TIME_MS		10000
#define BACKLOG		128

struct server {
	const char *path;
	const char *type;
	http_text text;
	void *arg;
	struct client *clients;
	unsigned long gone;	/* connections that have ended */
};

/* A connection; they are in the order of their coming, the oldest last. */
struct client {
	struct client *next;
	int fd;
	int64_t since;
};

static bool parse_port(const char *text, in_port_t *port)
{
	uint64_t n;

	if (!parse_number(text, UINT16_MAX, &n))
		return false;
	*port = htons(n);
	return true;
}

bool http_parse(const char *text, struct http_address *to)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&to->address;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&to->address;
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN] = "";
	bool bracket = *text == '[';
	size_t len;

	memset(to, 0, sizeof(*to));
	if (!colon)
		return false;
	len = colon - text;
	if (bracket) {
		if (len < 2 || text[len - 1] != ']')
			return false;
		text++;
		len -= 2;
	}
	if (len >= sizeof(host))
		return false;
	memcpy(host, text, len);
	to->address.ss_family = bracket ? AF_INET6 : AF_INET;
	to->len = bracket ? sizeof(*v6) : sizeof(*v4);
	if (inet_pton(to->address.ss_family, host,
		      bracket ? (void *)&v6->sin6_addr : (void *)&v4->sin_addr) != 1)
		return false;
	return parse_port(colon + 1, bracket ? &v6->sin6_port : &v4->sin_port);
}

#define URL_TEXT	(INET6_ADDRSTRLEN + 32)

static const char *url_of(const struct http_address *of, const char *path, char text[URL_TEXT])
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&of->address;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&of->address;
	char host[INET6_ADDRSTRLEN] = "";

	if (of->address.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(text, URL_TEXT, "http://[%s]:%u%s", host, ntohs(v6->sin6_port), path);
	} else {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(text, URL_TEXT, "http://%s:%u%s", host, ntohs(v4->sin_port), path);
	}
	return text;
}

/* Return: a listening socket, or -errno; @address is where it listens then. */
static int listen_on(struct http_address *address)
{
	int fd = socket(address->address.ss_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1, err;

	if (fd < 0)
		return -errno;
	/* A port of connections that have just ended is free. */
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, (struct sockaddr *)&address->address, address->len) &&
	    !listen(fd, BACKLOG) &&
	    !getsockname(fd, (struct sockaddr *)&address->address, &address->len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void client_came(struct server *server, struct MHD_Connection *connection, void **context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *client = malloc(sizeof(*client));

	if (!client)
		out_of_memory();
	*client = (struct client){ server->clients, info->connect_fd, now_ms() };
	server->clients = client;
	*context = client;
}

static void client_went(struct server *server, struct client *client)
{
	struct client **at = &server->clients;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	free(client);
	server->gone++;
}

static void connection_changed(void *arg, struct MHD_Connection *connection, void **context,
			       enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		client_came(arg, connection, context);
	else
		client_went(arg, *context);
}

/* Those whose time is over see an end of the connection, and so does libmicrohttpd. */
static void end_overdue(struct server *server)
{
	int64_t now = now_ms();

	for (struct client *client = server->clients; client; client = client->next)
		if (now - client->since >= TIME_MS)
			shutdown(client->fd, SHUT_RDWR);
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, char *text, size_t bytes)
{
	struct MHD_Response *response;
	enum MHD_Result ret;

	response = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
	if (!response)
		out_of_memory();
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ret = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result answer_line(struct MHD_Connection *connection, unsigned int status,
				   const char *format, const char *word)
{
	char *text;
	int len = asprintf(&text, format, word);

	if (len < 0)
		out_of_memory();
	return answer(connection, status, "text/plain; charset=utf-8", text, len);
}

/* The signature is libmicrohttpd's. */
static enum MHD_Result request(void *arg, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *upload,
			       size_t *upload_size, void **context)
{
	struct server *server = arg;
	size_t bytes;
	char *text;

	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_line(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   "Only GET and HEAD: see %s\n", server->path);
	if (strcmp(url, server->path))
		return answer_line(connection, MHD_HTTP_NOT_FOUND,
				   "Nothing is here: see %s\n", server->path);
	text = server->text(&bytes, server->arg);
	return answer(connection, MHD_HTTP_OK, server->type, text, bytes);
}

static struct MHD_Daemon *start(struct server *server, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, request, server,
				MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server,
				MHD_OPTION_END);
}

static void run(struct server *server, struct MHD_Daemon *daemon)
{
	int epoll = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	MHD_UNSIGNED_LONG_LONG hint;
	unsigned long gone;
	int wait;

	do {
		/* Where no place was free, only the next run listens again. */
		do {
			gone = server->gone;
			MHD_run(daemon);
		} while (gone != server->gone);
		end_overdue(server);
		wait = server->clients ? TIME_MS / 10 : -1;
		if (MHD_get_timeout(daemon, &hint) == MHD_YES && hint < TIME_MS / 10)
			wait = hint;
	} while (ending_wait(epoll, wait, NULL));
}

int http_serve(const struct http_address *address, const char *path, const char *type,
	       http_text text, void *arg)
{
	struct server server = { .path = path, .type = type, .text = text, .arg = arg };
	struct http_address real = *address;
	struct MHD_Daemon *daemon;
	char url[URL_TEXT];
	int fd;

	ending_begin();
	fd = listen_on(&real);
	if (fd < 0)
		return fail("cannot listen on %s: %s", url_of(address, "", url), strerror(-fd));
	daemon = start(&server, fd);
	if (!daemon) {
		close(fd);
		return fail("cannot start the HTTP server: %s", strerror(errno));
	}
	printf("Serving %s\n", url_of(&real, path, url));
	/* Whoever asked for port 0 waits for this line. */
	if (!fflush(stdout))
		run(&server, daemon);
	MHD_stop_daemon(daemon);
	return CTL_OK;
}
