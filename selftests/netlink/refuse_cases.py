# SPDX-License-Identifier: GPL-2.0-only
"""What is not a message of the family, and who may not ask."""
import errno
import struct

from genl import COMMANDS, F_ACK, F_DUMP, NESTED, SETS, Socket, attr, encode, refused
from harness import case
from pools import Client, apart, pool

DO = ("pool-get", "stats-get")
DUMPS = ("layout-get", "segment-get", "object-get", "client-get", "hold-get")
ADMIN = ("object-get", "client-get", "hold-get")
NAME = attr(1, b"nla\0")


def ask(nl, name, body):
    return nl.do(name, body) if name in DO else nl.dump(name, body)


def full(name):
    """What the op needs beside the pool's name."""
    return encode("hold", client=1) if name == "hold-get" else b""


@case("malformed", "unknown, short, long, wrongly nested and unterminated attributes")
def malformed():
    with pool("nla"), Socket() as nl, Client("nla"):
        for name in DO + DUMPS:
            rest = full(name)
            last = max(SETS[name.split("-", maxsplit=1)[0]])
            for body in (NAME + attr(last + 1, b"abcd") + rest,	# unknown
                         NAME + attr(last, b"") + rest,		# not in the request
                         NAME + attr(200, bytes(8)) + rest,
                         attr(1, b"nla") + rest,		# no NUL
                         attr(1, b"") + rest,
                         attr(1, b"n" * 40 + b"\0") + rest,
                         struct.pack("HH", 2, 1) + rest,	# shorter than its head
                         struct.pack("HH", 200, 1) + b"nla\0",	# longer than the message
                         NAME + rest + b"\1\2\3"):		# junk behind
                try:
                    ask(nl, name, body)
                except Exception as error:  # pylint: disable=broad-except
                    assert getattr(error, "errno", 0) in (errno.EINVAL, errno.ERANGE), error
                else:
                    raise AssertionError((name, body))
        # The socket and the family go on.
        assert nl.do("pool-get", NAME)["name"] == "nla"


@case("types", "a number of another length, a flag with a value, a nest that is none")
def types():
    numbers = {name: number for number, name in SETS["object"].items()}
    with pool("nla"), Socket() as nl:
        for bad in (attr(numbers["min-idle-ms"], bytes(4)), attr(numbers["min-idle-ms"], bytes(12)),
                    attr(numbers["min-idle-ms"]), attr(numbers["held"], bytes(4)),
                    attr(numbers["prefix"], bytes(1025)),
                    attr(numbers["key"], b"k"), attr(numbers["pad"])):
            said = refused_one_of((errno.EINVAL, errno.ERANGE), nl, "object-get", NAME + bad)
            assert said.message, said
        for bad in (attr(2), attr(2, bytes(4))):
            refused_one_of((errno.EINVAL, errno.ERANGE), nl, "hold-get", NAME + bad)
        # A nest of the answer is no part of a question.
        usage = {name: number for number, name in SETS["pool"].items()}["usage"]
        refused_one_of((errno.EINVAL,), nl, "pool-get",
                       NAME + attr(usage | NESTED, attr(1, bytes(8))))
        refused_one_of((errno.EINVAL, errno.ENOENT, errno.ERANGE), nl, "pool-get",
                       attr(1 | NESTED, attr(1, b"nla\0")))


def refused_one_of(errnos, nl, name, body):
    try:
        got = ask(nl, name, body)
    except Exception as error:  # pylint: disable=broad-except
        assert getattr(error, "errno", None) in errnos, error
        return error
    raise AssertionError(f"not refused: {got}")


@case("missing", "no pool, an unknown pool, an unknown client: extack says which")
def missing():
    with pool("nla"), Socket() as nl:
        for name in DO + DUMPS:
            said = refused(errno.EINVAL, ask, nl, name, full(name))
            assert said.missing == 1, (name, said.missing)
            said = refused(errno.ENOENT, ask, nl, name, attr(1, b"nobody\0") + full(name))
            assert said.message == "no such pool" and said.offset == 20, vars(said)
        said = refused(errno.EINVAL, nl.dump, "hold-get", NAME)
        assert said.missing == 2, said.missing
        said = refused(errno.ENOENT, nl.dump, "hold-get", NAME + full("hold-get"))
        assert said.message == "no such client" and said.offset == 28, vars(said)


@case("commands", "notifications, unknown commands and the wrong way to ask")
def commands():
    with pool("nla"), Socket() as nl:
        for number, flags in ((0, 0), (255, 0), (255, F_DUMP), (COMMANDS["attached-ntf"], 0),
                              (COMMANDS["stats-get"], F_DUMP), (COMMANDS["layout-get"], 0),
                              (COMMANDS["object-get"], 0)):
            nl.send(nl.family, number, NAME, flags | F_ACK)
            refused(errno.EOPNOTSUPP, list, nl.messages())


@case("user", "anybody sees pools; keys and clients are for CAP_NET_ADMIN")
def user():
    def look():
        with Socket() as nl:
            for name in ADMIN:
                refused(errno.EPERM, nl.dump, name, NAME + full(name))
            assert [p["name"] for p in nl.dump("pool-get")] == ["nla"]
            assert nl.do("stats-get", NAME)["pool"] == "nla"
            assert nl.dump("segment-get", NAME)
            return nl.do("pool-get", NAME)["name"]

    with pool("nla"):
        assert apart(look, user=True) == "nla"


@case("namespaces", "a pool is seen where it was attached and in the initial namespace")
def namespaces():
    def elsewhere(memory):
        from pools import attach  # pylint: disable=import-outside-toplevel
        with Socket() as nl:
            before = [p["name"] for p in nl.dump("pool-get")]
            refused(errno.ENOENT, nl.do, "pool-get", NAME)
            refused(errno.ENOENT, nl.dump, "object-get", NAME)
            nl.subscribe()
            attach("there", memory)
            return before, [p["name"] for p in nl.dump_after_event()]

    from harness import MIB, Memory, Tool  # pylint: disable=import-outside-toplevel
    memory = Memory(16 * MIB)
    Tool("format", memory.path).ok()
    with pool("nla"), Socket() as nl:
        nl.subscribe()
        before, after = apart(elsewhere, memory, net=True)
        assert before == [] and after == ["there"], (before, after)
        assert nl.next_event() == ("attached-ntf", {"pool": "there"})
        with Socket() as other:
            assert [p["name"] for p in other.dump("pool-get")] == ["nla", "there"]
        # Its namespace has no process any more; the pool has kept it.
        Tool("detach", "there").ok()
        assert nl.next_event() == ("detached-ntf", {"pool": "there"})
    memory.close()
