/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Freeze-TCP at the receiver (Goff, Moronski, Phatak and Gupta, IEEE INFOCOM 2000): while a connection is frozen, every segment that this
 * host sends on it says that the receive window is closed, the kernel's own acknowledgments too, which would reopen it otherwise.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* The offset of a fragment (RFC 791); only the first one has the header of TCP. */
#define FRAGMENT_OFFSET 0x1fff
/* <bits/socket_type.h> */
#define SOCK_RAW 3
/* What a TCX program answers: let others decide (linux/bpf.h has it since 6.6). */
#define PASS_ON (-1)

/* Of the kernel's structure only the names matter: where a member is, is found out on the host (CO-RE). */
struct sk_buff {
	__u16 network_header;
	unsigned char *head;
	unsigned char *data;
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *context) __ksym;

/* The four numbers that name a connection, in network byte order; addresses of IPv4 as ::ffff:a.b.c.d. */
struct connection {
	struct in6_addr local;
	struct in6_addr remote;
	__be16 local_port;
	__be16 remote_port;
};

/* What the kernel wanted to say last. The Rust side has the same in `freezer.rs`. */
struct wanted {
	/* As it would have stood in the header. */
	__u32 window;
	__u32 has_window;
};

/*
 * Each table has one writer while a connection is frozen: a value that both wrote would be lost to one of them now and then. As many as
 * are known at most; set by the loader.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct connection);
	/* On CLOCK_MONOTONIC, when the true window is advertised again although the daemon has not thawed it. */
	__type(value, __u64);
} frozen_until SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct connection);
	__type(value, struct wanted);
} wanted_windows SEC(".maps");

struct outgoing {
	struct connection connection;
	struct tcphdr tcp;
	/* From the beginning of the IP header. */
	__u32 tcp_offset;
};

static __always_inline void map_v4(struct in6_addr *mapped, __be32 address)
{
	mapped->s6_addr32[2] = bpf_htonl(0xffff);
	mapped->s6_addr32[3] = address;
}

static __always_inline bool read_v4(struct __sk_buff *skb, struct outgoing *outgoing)
{
	struct iphdr ip;

	if (bpf_skb_load_bytes_relative(skb, 0, &ip, sizeof(ip), BPF_HDR_START_NET))
		return false;
	if (ip.protocol != IPPROTO_TCP || ip.frag_off & bpf_htons(FRAGMENT_OFFSET))
		return false;
	map_v4(&outgoing->connection.local, ip.saddr);
	map_v4(&outgoing->connection.remote, ip.daddr);
	outgoing->tcp_offset = ip.ihl * 4;
	return true;
}

static __always_inline bool read_v6(struct __sk_buff *skb, struct outgoing *outgoing)
{
	struct ipv6hdr ip;

	if (bpf_skb_load_bytes_relative(skb, 0, &ip, sizeof(ip), BPF_HDR_START_NET))
		return false;
	if (ip.nexthdr != IPPROTO_TCP)
		return false;
	outgoing->connection.local = ip.saddr;
	outgoing->connection.remote = ip.daddr;
	outgoing->tcp_offset = sizeof(ip);
	return true;
}

static __always_inline bool read(struct __sk_buff *skb, struct outgoing *outgoing)
{
	struct tcphdr *tcp = &outgoing->tcp;
	bool is_tcp = false;

	if (skb->protocol == bpf_htons(ETH_P_IP))
		is_tcp = read_v4(skb, outgoing);
	else if (skb->protocol == bpf_htons(ETH_P_IPV6))
		is_tcp = read_v6(skb, outgoing);
	if (!is_tcp ||
	    bpf_skb_load_bytes_relative(skb, outgoing->tcp_offset, tcp, sizeof(*tcp), BPF_HDR_START_NET))
		return false;
	outgoing->connection.local_port = tcp->source;
	outgoing->connection.remote_port = tcp->dest;
	return true;
}

/* Where the IP header begins: behind that of Ethernet, or at once where a device has no link layer (TUN, many modems). */
static __always_inline __u32 network_offset(struct __sk_buff *skb)
{
	struct sk_buff *kernel = bpf_cast_to_kern_ctx(skb);
	unsigned long headroom = (unsigned long)kernel->data - (unsigned long)kernel->head;

	return kernel->network_header - headroom;
}

static __always_inline void close_window(struct __sk_buff *skb, const struct outgoing *outgoing)
{
	__u32 tcp = network_offset(skb) + outgoing->tcp_offset;
	__be16 closed = 0;

	bpf_l4_csum_replace(skb, tcp + offsetof(struct tcphdr, check), outgoing->tcp.window, closed, sizeof(closed));
	bpf_skb_store_bytes(skb, tcp + offsetof(struct tcphdr, window), &closed, sizeof(closed), 0);
}

/* What the daemon sends carries the window that it knew, which may be older than what the kernel has advertised since. */
static __always_inline bool is_the_daemons(struct __sk_buff *skb)
{
	struct bpf_sock *socket = skb->sk;

	if (!socket)
		return false;
	socket = bpf_sk_fullsock(socket);
	return socket && socket->type == SOCK_RAW;
}

SEC("tcx/egress")
int seamline_freeze(struct __sk_buff *skb)
{
	struct outgoing outgoing = {};
	struct wanted *wanted;
	__u64 *until_ns;

	if (!read(skb, &outgoing))
		return PASS_ON;
	until_ns = bpf_map_lookup_elem(&frozen_until, &outgoing.connection);
	if (!until_ns)
		return PASS_ON;
	/* The connection is over; the next between the same ports has nothing to do with it. */
	if (outgoing.tcp.syn || outgoing.tcp.rst) {
		bpf_map_delete_elem(&frozen_until, &outgoing.connection);
		bpf_map_delete_elem(&wanted_windows, &outgoing.connection);
		return PASS_ON;
	}
	if (bpf_ktime_get_ns() >= *until_ns)
		return PASS_ON;
	wanted = bpf_map_lookup_elem(&wanted_windows, &outgoing.connection);
	if (wanted && !is_the_daemons(skb)) {
		wanted->window = bpf_ntohs(outgoing.tcp.window);
		wanted->has_window = 1;
	}
	if (outgoing.tcp.window)
		close_window(skb, &outgoing);
	return PASS_ON;
}

char _license[] SEC("license") = "Dual MIT/GPL";
