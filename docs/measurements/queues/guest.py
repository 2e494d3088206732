"""Sends datagrams through a queue discipline of the kernel that this runs on, and prints what became of each.

Runs as root in a guest in virtual time: python3 guest.py ARRIVALS TC-ARGUMENTS...
ARRIVALS has a line per datagram: microseconds, flow, bytes with the Ethernet header, ECN field. The rate is 8 Mbit/s: 1000 bytes take 1 ms.
"""
import ctypes, os, socket, struct, subprocess, sys, time

HEADERS = 14 + 20 + 8
PORT = 5000
DRAIN = 65535  # A datagram before the first one, which uses up the tokens of tbf.

arrivals = [tuple(map(int, line.split(","))) for line in open(sys.argv[1])]
largest = max(size for _, _, size, _ in arrivals)


def run(command):
    subprocess.run(command, shell=True, check=True)


def receive(ready, go, results):
    if ctypes.CDLL(None).unshare(0x40000000) != 0:
        sys.exit("no network namespace")
    os.write(ready, b"x")
    os.read(go, 1)
    run("ip link set qb up; ip addr add 10.99.0.2/24 dev qb; ip link set lo up")
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, 33, 1 << 28)  # SO_RCVBUFFORCE
    sock.setsockopt(socket.IPPROTO_IP, 13, 1)  # IP_RECVTOS
    sock.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
    sock.settimeout(3)
    sock.bind(("10.99.0.2", PORT))
    os.write(ready, b"x")
    lines = []
    while True:
        try:
            data, ancillary, _, _ = sock.recvmsg(2000, 200)
        except TimeoutError:
            break
        tos, at = 0, 0
        for level, kind, value in ancillary:
            if level == socket.IPPROTO_IP:
                tos = value[0]
            elif level == socket.SOL_SOCKET:
                seconds, nanos = struct.unpack("qq", value)
                at = seconds * 10**9 + nanos
        lines.append((struct.unpack("<I", data[:4])[0], at, tos & 3))
    os.write(results, repr(lines).encode())


ready, go, results = os.pipe(), os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    receive(ready[1], go[0], results[1])
    os._exit(0)
os.close(results[1])
os.read(ready[0], 1)
run(f"ip link add qa type veth peer name qb; ip link set qb netns {child}")
run("ip link set qa up; ip addr add 10.99.0.1/24 dev qa; ethtool -K qa gso off tso off 2>/dev/null || true")
os.write(go[1], b"x")
os.read(ready[0], 1)
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("10.99.0.2", 9))  # So that the neighbour is known.
time.sleep(1)
run("sysctl -qw net.ipv6.conf.qa.disable_ipv6=1")
run(f"tc qdisc add dev qa root handle 1: tbf rate 8mbit burst {largest} limit 100000000")
run("tc qdisc add dev qa parent 1:1 handle 10: " + " ".join(sys.argv[2:]))

socks = {}
for flow in {flow for _, flow, _, _ in arrivals} | {99}:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, 32, 1 << 28)  # SO_SNDBUFFORCE
    sock.bind(("10.99.0.1", 10000 + flow))
    socks[flow] = [sock, -1]


def send(number, flow, size, ecn):
    entry = socks[flow]
    if entry[1] != ecn:
        entry[0].setsockopt(socket.IPPROTO_IP, socket.IP_TOS, ecn)
        entry[1] = ecn
    entry[0].sendto(struct.pack("<I", number) + bytes(size - HEADERS - 4), ("10.99.0.2", PORT))


time.sleep(1)
start = time.clock_gettime_ns(time.CLOCK_REALTIME) + 10**9
for number, (micros, flow, size, ecn) in enumerate(arrivals):
    at = start + micros * 1000
    wait = at - time.clock_gettime_ns(time.CLOCK_REALTIME)
    if wait > 0:
        time.sleep(wait / 1e9)
    if number == 0:
        send(DRAIN, 99, largest, 0)
        start = time.clock_gettime_ns(time.CLOCK_REALTIME) - micros * 1000
    send(number, flow, size, ecn)
text = b""
while chunk := os.read(results[0], 1 << 16):
    text += chunk
for number, at, ecn in eval(text):
    if number != DRAIN:
        print(f"{number},{(at - start) // 1000},{ecn}")
sys.stderr.write(subprocess.run("tc -s qdisc show dev qa", shell=True, capture_output=True, text=True).stdout)
