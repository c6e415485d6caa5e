# SPDX-License-Identifier: GPL-2.0-only
"""Generic netlink as far as the tests need it; numbers come from the header."""
import os
import re
import socket
import struct

from harness import TOP

NETLINK_GENERIC, SOL_NETLINK = 16, 270
ADD_MEMBERSHIP, CAP_ACK, EXT_ACK, GET_STRICT_CHK = 1, 10, 11, 12
NLMSG_ERROR, NLMSG_DONE = 2, 3
F_REQUEST, F_MULTI, F_ACK, F_DUMP_INTR, F_DUMP = 1, 2, 4, 0x10, 0x300
F_CAPPED, F_ACK_TLVS = 0x100, 0x200
NESTED = 0x8000
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ID, CTRL_NAME, CTRL_GROUPS = 1, 2, 7

STRINGS = {"pool", "name", "label", "comm"}
BYTES = {"uuid", "key", "cookie", "histogram", "backing-bytes"}
NESTS = {("pool", "usage"): "usage", ("stats", "counter"): "counter",
         ("stats", "latency"): "latency", ("stats", "removal"): "removal",
         ("stats", "refusal"): "refusal"}


def read_header():
    """The sets and the commands: {set: {number: name}}, {name: number}."""
    with open(os.path.join(TOP, "uapi/linux/maru_l1_netlink.h"), encoding="ascii") as file:
        blocks = re.findall(r"enum \{(.*?)\}", file.read(), re.S)
    sets, commands = {}, {}
    for block in blocks:
        names = re.findall(r"^\t(MARU_L1_\w+?)(?: = 1)?,$", block, re.M)
        for number, name in enumerate(names, 1):
            kind, rest = name[len("MARU_L1_"):].lower().split("_", 1)
            if kind == "cmd":
                commands[rest.replace("_", "-")] = number
            else:
                group, attr = rest.split("_", 1)
                sets.setdefault(group, {})[number] = attr.replace("_", "-")
    return sets, commands


SETS, COMMANDS = read_header()


class Refused(Exception):
    """An answer with an errno; @offset: of the attribute complained about."""

    def __init__(self, errno, message, offset, missing):
        super().__init__(f"{os.strerror(errno)}: {message}")
        self.errno, self.message, self.offset, self.missing = errno, message, offset, missing


def attr(number, value=b""):
    return struct.pack("HH", 4 + len(value), number) + value + bytes(-len(value) % 4)


def attrs_of(data):
    while len(data) >= 4:
        size, number = struct.unpack_from("HH", data)
        assert 4 <= size <= len(data), data
        yield number & 0x3fff, data[4:size]
        data = data[(size + 3) & ~3:]
    assert not data, data


def value_of(group, name, data):
    if (group, name) in NESTS:
        return decode(NESTS[group, name], data)
    if name in STRINGS and not (group == "hold" and name == "client"):
        assert data.endswith(b"\0"), data
        return data[:-1].decode()
    if name in BYTES:
        return data
    if not data:
        return True
    if name == "numa-node":
        return struct.unpack("i", data)[0]
    return struct.unpack({4: "I", 8: "Q"}[len(data)], data)[0]


def decode(group, data):
    """A dict; nests that come many times are lists."""
    found = {}
    for number, value in attrs_of(data):
        name = SETS[group][number]
        if name == "pad":
            continue
        value = value_of(group, name, value)
        if name in ("counter", "latency", "removal", "refusal"):
            found.setdefault(name, []).append(value)
        else:
            assert name not in found, f"{name} comes twice"
            found[name] = value
    return found


def encode(group, **values):
    numbers = {name: number for number, name in SETS[group].items()}
    out = b""
    for name, value in values.items():
        name = name.replace("_", "-")
        if isinstance(value, str):
            value = value.encode() + b"\0"
        elif value is True:
            value = b""
        elif isinstance(value, int):
            value = struct.pack("Q", value)
        out += attr(numbers[name], value)
    return out


class Socket:
    """One socket; @bufsize: of each recv()."""

    def __init__(self, strict=True, bufsize=65536):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock.bind((0, 0))
        self.sock.settimeout(30)
        for option in (EXT_ACK, CAP_ACK) + ((GET_STRICT_CHK,) if strict else ()):
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.bufsize = bufsize
        self.seq = 0
        self.interrupted = False
        self.family, self.group = self._resolve()

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.sock.close()

    def _resolve(self):
        self.send(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, attr(CTRL_NAME, b"maru_l1\0"), F_ACK)
        found = {}
        for _, data in self.messages(ack=True):
            found.update(attrs_of(data))
        group = dict(attrs_of(next(attrs_of(found[CTRL_GROUPS]))[1]))
        assert group[1] == b"monitor\0", group
        return struct.unpack("H", found[CTRL_ID])[0], struct.unpack("I", group[2])[0]

    def send(self, kind, command, body, flags):
        self.seq += 1
        self.sock.send(struct.pack("IHHIIBBH", 20 + len(body), kind, F_REQUEST | flags,
                                   self.seq, 0, command, 1, 0) + body)

    def receive(self):
        """The messages of one datagram: type, flags, sequence, payload."""
        data = self.sock.recv(self.bufsize)
        out = []
        while data:
            size, kind, flags, seq, _ = struct.unpack_from("IHHII", data)
            assert 16 <= size <= len(data), "a message was cut off"
            out.append((kind, flags, seq, data[16:size]))
            data = data[(size + 3) & ~3:]
        return out

    def _raise(self, flags, payload, tlvs):
        code = struct.unpack_from("i", payload)[0]
        if code == 0:
            return
        found = dict(attrs_of(payload[tlvs:])) if flags & F_ACK_TLVS else {}
        raise Refused(-code, found.get(1, b"\0")[:-1].decode(),
                      struct.unpack("I", found[2])[0] if 2 in found else None,
                      struct.unpack("I", found[5])[0] if 5 in found else None)

    def messages(self, ack=False):
        """Until the answer ends: command and attributes."""
        self.interrupted = False
        while True:
            for kind, flags, seq, payload in self.receive():
                assert seq == self.seq
                self.interrupted |= bool(flags & F_DUMP_INTR)
                if kind == NLMSG_ERROR:
                    self._raise(flags, payload, 20)
                    return
                if kind == NLMSG_DONE:
                    self._raise(flags, payload, 4)
                    return
                yield payload[0], payload[4:]
                if not flags & F_MULTI and not ack:
                    return

    def do(self, name, body=b""):
        self.send(self.family, COMMANDS[name], body, 0)
        answers = list(self.messages())
        assert len(answers) == 1, answers
        assert answers[0][0] == COMMANDS[name]
        return decode(name.split("-", maxsplit=1)[0], answers[0][1])

    def dump_step(self, name, body=b""):
        """A generator: the caller may do something between two datagrams."""
        self.send(self.family, COMMANDS[name], body, F_DUMP)
        for command, data in self.messages():
            assert command == COMMANDS[name]
            yield decode(name.split("-", maxsplit=1)[0], data)

    def dump(self, name, body=b""):
        return list(self.dump_step(name, body))

    def dump_keys(self, name, body):
        """The keys alone: decoding 100,000 answers takes Python long in a guest."""
        group = name.split("-", maxsplit=1)[0]
        wanted = {attr: number for number, attr in SETS[group].items()}["key"]
        self.send(self.family, COMMANDS[name], body, F_DUMP)
        return [next(value for number, value in attrs_of(data) if number == wanted)
                for _, data in self.messages()]

    def subscribe(self):
        self.sock.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, self.group)

    def dump_after_event(self):
        """The pools that are there once something was attached."""
        name, _ = self.next_event()
        assert name == "attached-ntf", name
        with Socket() as other:
            return other.dump("pool-get")

    def next_event(self, seconds=5):
        """Name and attributes of the next notification; None: there is none."""
        self.sock.settimeout(seconds)
        try:
            (kind, _, _, payload), = self.receive()
        except TimeoutError:
            return None
        assert kind == self.family
        name = {number: name for name, number in COMMANDS.items()}[payload[0]]
        return name, decode("event", payload[4:])


def refused(errno, call, *args, **kwargs):
    """The answer must be that errno; returns what was said about it."""
    try:
        got = call(*args, **kwargs)
    except Refused as refusal:
        assert refusal.errno == errno, refusal
        return refusal
    raise AssertionError(f"not refused: {got}")
