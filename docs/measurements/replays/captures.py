"""TCP segments of a capture (pcap or pcapng, raw IP or Ethernet), and what they say about the flow."""
import struct
from collections import namedtuple

Segment = namedtuple("Segment", "time source target sequence length acknowledged flags")
ETHERNET, RAW, RAW_OLD, NULL = 1, 101, 12, 0


def packets(path):
    """Time in seconds, link type and bytes of each packet."""
    data = open(path, "rb").read()
    magic = data[:4]
    if magic == b"\x0a\x0d\x0d\x0a":
        yield from _packets_pcapng(data)
        return
    order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    scale = 1e-9 if magic in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e-6
    link, at = struct.unpack(order + "I", data[20:24])[0], 24
    while at + 16 <= len(data):
        seconds, part, kept, _ = struct.unpack(order + "IIII", data[at : at + 16])
        yield seconds + part * scale, link, data[at + 16 : at + 16 + kept]
        at += 16 + kept


def _packets_pcapng(data):
    at, interfaces = 0, []
    while at + 12 <= len(data):
        kind, size = struct.unpack("<II", data[at : at + 8])
        body = data[at + 8 : at + size - 4]
        if kind == 1:
            interfaces.append((struct.unpack("<H", body[:2])[0], _resolution(body[8:])))
        elif kind == 6:
            number, high, low, kept, _ = struct.unpack("<IIIII", body[:20])
            link, resolution = interfaces[number]
            yield ((high << 32) | low) * resolution, link, body[20 : 20 + kept]
        at += size


def _resolution(options):
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack("<HH", options[at : at + 4])
        if code == 9:
            exponent = options[at + 4]
            return 2.0 ** -(exponent & 127) if exponent & 128 else 10.0**-exponent
        if code == 0:
            break
        at += 4 + (size + 3) // 4 * 4
    return 1e-6


def segments(path):
    """The TCP segments over IPv4, in order of time. Lengths are those of the IP header: captures may be cut."""
    found = []
    for time, link, frame in packets(path):
        ip = frame[14:] if link == ETHERNET else frame[4:] if link == NULL else frame
        if len(ip) < 40 or ip[0] >> 4 != 4 or ip[9] != 6:
            continue
        header = (ip[0] & 15) * 4
        tcp = ip[header:]
        source, target, sequence, acknowledged = struct.unpack("!HHII", tcp[:12])
        length = struct.unpack("!H", ip[2:4])[0] - header - (tcp[12] >> 4) * 4
        found.append(Segment(time, source, target, sequence, length, acknowledged, tcp[13]))
    return found


class Flow:
    """The connection of a capture with the most payload, seen at its sender."""

    def __init__(self, path):
        everything = segments(path)
        payload = {}
        for it in everything:
            payload[it.source, it.target] = payload.get((it.source, it.target), 0) + it.length
        ports = max(payload, key=payload.get)
        self.data = [it for it in everything if (it.source, it.target) == ports and it.length > 0]
        self.acks = [it for it in everything if (it.target, it.source) == ports]
        self.syn = next((it.time for it in everything if (it.source, it.target) == ports and it.flags & 2), None)
        self.begin = self.data[0].time
        self.first = self.data[0].sequence

    def offset(self, number):
        """A sequence number as a count of bytes from the first."""
        return (number - self.first) & 0xFFFFFFFF

    def retransmissions(self):
        """Times of segments that begin below what was sent before."""
        highest, times = 0, []
        for it in self.data:
            if self.offset(it.sequence) < highest:
                times.append(it.time - self.begin)
            highest = max(highest, self.offset(it.sequence) + it.length)
        return times

    def progress(self):
        """Time and count of bytes acknowledged in order."""
        highest, steps = 0, []
        for it in self.acks:
            count = self.offset(it.acknowledged)
            if highest < count < 1 << 31:
                highest = count
                steps.append((it.time - self.begin, count))
        return steps

    def round_trips(self):
        """Time of the acknowledgment and round trip, in seconds, of segments that were sent once."""
        sent, again, samples, highest = {}, set(), [], 0
        events = sorted([(it.time, 0, it) for it in self.data] + [(it.time, 1, it) for it in self.acks], key=lambda it: it[:2])
        for time, is_ack, it in events:
            if not is_ack:
                end = self.offset(it.sequence) + it.length
                if end in sent or end <= highest:
                    again.add(end)
                sent[end] = time
                continue
            count = self.offset(it.acknowledged)
            if highest < count < 1 << 31:
                # What was retransmitted, and what waited behind it, says nothing about the path.
                covered = [end for end in sent if end <= count]
                if count in sent and not again.intersection(covered):
                    samples.append((time - self.begin, time - sent[count]))
                for end in covered:
                    del sent[end]
                again.difference_update(covered)
                highest = count
        return samples


def per_interval(steps, length, interval=1.0):
    """Mbit/s in each interval, of steps of time and bytes."""
    counts = [0.0] * int(round(length / interval))
    before = 0
    for time, count in steps:
        place = int(time / interval)
        if place < len(counts):
            counts[place] += count - before
        before = count
    return [count * 8 / interval / 1e6 for count in counts]
