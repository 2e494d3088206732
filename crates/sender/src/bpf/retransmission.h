/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Have the kernel send again at once. eBPF cannot, but RFC 6069 can: notified by ICMP that the host could not be reached when the
 * first missing segment was sent, the kernel takes back one doubling of its retransmission timer, and when that has run out by
 * then, it sends. So an acknowledgment with the mark becomes as many such messages as there were doublings, quoting the first
 * missing byte, and follows them. Nothing of that leaves the host.
 */
#pragma once

#include "connection.h"

#define IPV4_LENGTH 20
#define IPV6_LENGTH 40
#define TCP_LENGTH 20
#define OPTION_SPACE 40
/* The longest acknowledgment without payload, and a mask to show the verifier. */
#define LONGEST (IPV6_LENGTH + TCP_LENGTH + OPTION_SPACE)
#define LENGTH_MASK 127
/* The kernel doubles its timer no more often than this (TCP_RTO_MAX over TCP_RTO_MIN). */
#define MOST_DOUBLINGS 10
#define FRAGMENT 0x3fff
#define HOPS 64
#define ICMP_UNREACHABLE 3
#define ICMP_HOST 1
#define ICMPV6_UNREACHABLE 1
#define ICMPV6_NEXT 58
/* What a TCX program answers (linux/bpf.h has it since 6.6). */
#define PASS_ON (-1)
#define DROP 2

struct icmp {
	__u8 type;
	__u8 code;
	__sum16 check;
	__be32 unused;
};

struct quoted {
	__be16 source;
	__be16 dest;
	__be32 sequence;
};

struct message4 {
	struct iphdr ip;
	struct icmp icmp;
	struct iphdr quoted_ip;
	struct quoted quoted;
};

struct message6 {
	struct ipv6hdr ip;
	struct icmp icmp;
	struct ipv6hdr quoted_ip;
	struct quoted quoted;
};

/* An acknowledgment with the mark, as it has come. */
struct arrived {
	struct tcphdr tcp;
	struct iphdr ip4;
	struct ipv6hdr ip6;
	__u32 ip_length;
	__u32 length;
};

/* What the kernel has to know of the socket. */
struct missing {
	__u32 sequence;
	__u32 doublings;
};

static __always_inline bool read4(struct __sk_buff *skb, struct arrived *arrived)
{
	struct iphdr *ip = &arrived->ip4;

	if (bpf_skb_load_bytes_relative(skb, 0, ip, sizeof(*ip), BPF_HDR_START_NET))
		return false;
	arrived->ip_length = IPV4_LENGTH;
	arrived->length = bpf_ntohs(ip->tot_len);
	return ip->ihl == 5 && ip->protocol == IPPROTO_TCP && !(ip->frag_off & bpf_htons(FRAGMENT));
}

static __always_inline bool read6(struct __sk_buff *skb, struct arrived *arrived)
{
	struct ipv6hdr *ip = &arrived->ip6;

	if (bpf_skb_load_bytes_relative(skb, 0, ip, sizeof(*ip), BPF_HDR_START_NET))
		return false;
	arrived->ip_length = IPV6_LENGTH;
	arrived->length = IPV6_LENGTH + bpf_ntohs(ip->payload_len);
	return ip->nexthdr == IPPROTO_TCP;
}

/* Whether the options have the mark. */
static __always_inline bool has_mark(struct __sk_buff *skb, const struct arrived *arrived)
{
	__u32 space = arrived->tcp.doff * 4 - TCP_LENGTH;
	__u8 options[64] = {};
	__u32 at = 0;

	if (space < MARK_LENGTH || space > OPTION_SPACE)
		return false;
	if (bpf_skb_load_bytes_relative(skb, arrived->ip_length + TCP_LENGTH, options, space, BPF_HDR_START_NET))
		return false;
	for (int i = 0; i < OPTION_SPACE; i++) {
		__u8 *option;

		if (at + MARK_LENGTH > OPTION_SPACE)
			return false;
		option = options + (at & 63);
		if (option[0] == 0)
			return false;
		if (option[0] == 1) {
			at++;
			continue;
		}
		if (option[0] == MARK_KIND && option[1] == MARK_LENGTH && option[2] == MARK_EXPERIMENT >> 8 &&
		    option[3] == (MARK_EXPERIMENT & 0xff) && option[4] == MARK_HANDOVER)
			return true;
		if (option[1] < 2)
			return false;
		at += option[1];
	}
	return false;
}

/* Whether it is an acknowledgment without payload that has the mark. */
static __always_inline bool is_marked(struct __sk_buff *skb, struct arrived *arrived)
{
	bool is_tcp = false;

	if (skb->protocol == bpf_htons(ETH_P_IP))
		is_tcp = read4(skb, arrived);
	else if (skb->protocol == bpf_htons(ETH_P_IPV6))
		is_tcp = read6(skb, arrived);
	if (!is_tcp)
		return false;
	if (bpf_skb_load_bytes_relative(skb, arrived->ip_length, &arrived->tcp, TCP_LENGTH, BPF_HDR_START_NET))
		return false;
	if (!arrived->tcp.ack || arrived->tcp.syn || arrived->tcp.rst || arrived->tcp.fin)
		return false;
	if (arrived->length != arrived->ip_length + arrived->tcp.doff * 4)
		return false;
	return has_mark(skb, arrived);
}

/* An application that reads its errors (IP_RECVERR) would be given those messages. */
static __always_inline bool reads_errors(struct tcp_sock *tp)
{
	if (!reported_errors || !bpf_core_field_exists(tp->inet_conn.icsk_inet.inet_flags))
		return true;
	return tp->inet_conn.icsk_inet.inet_flags & reported_errors;
}

/*
 * Whether the timer without its doublings has run out since the last segment was sent, so that the kernel sends at once. If not,
 * it would soon time out once more, and give up the window that is restored meanwhile; that window's acknowledgments are
 * sooner to show that the first segment is missing.
 */
static __always_inline bool sends_at_once(struct tcp_sock *tp, struct connection *connection, __u64 now)
{
	__u64 timer_us = (tp->srtt_us >> 3) + tp->rttvar_us;

	/* A paced segment may have been stamped with a time to come. */
	return !connection->restores || (__s64)(now - tp->tcp_wstamp_ns) >= (__s64)(timer_us * 1000);
}

/*
 * Whether the socket waits for its timer, and the segment can be its peer's. The kernel has checked nothing yet, so all that
 * RFC 5961 asks for is here, and that the acknowledgment is of just what is missing: one that brings news needs no help. The
 * acknowledgment that follows the messages comes by here again; it is too soon by then, and passes.
 */
static __always_inline bool waits(struct tcp_sock *tp, struct connection *connection, const struct arrived *arrived)
{
	__u32 sequence = bpf_ntohl(arrived->tcp.seq);
	__u64 now = bpf_ktime_get_ns();

	if (recovery_state(tp) != TCP_CA_Loss || !tp->inet_conn.icsk_retransmits || !tp->inet_conn.icsk_backoff)
		return false;
	if (bpf_ntohl(arrived->tcp.ack_seq) != tp->snd_una || reads_errors(tp))
		return false;
	if (before(sequence, tp->rcv_nxt) || before(tp->rcv_nxt + tp->rcv_wnd, sequence))
		return false;
	if (connection->asked_at && now - connection->asked_at < LEAST_INTERVAL_NS)
		return false;
	/* Once for each timeout: a peer that continues marking cannot keep the doublings of the timer away. */
	if (connection->asked_at && connection->asked_for == tp->snd_una)
		return false;
	if (!sends_at_once(tp, connection, now))
		return false;
	connection->asked_at = now;
	connection->asked_for = tp->snd_una;
	return true;
}

static __always_inline struct bpf_sock *find(struct __sk_buff *skb, const struct arrived *arrived)
{
	struct bpf_sock_tuple tuple = {};

	if (arrived->ip_length == IPV4_LENGTH) {
		tuple.ipv4.saddr = arrived->ip4.saddr;
		tuple.ipv4.daddr = arrived->ip4.daddr;
		tuple.ipv4.sport = arrived->tcp.source;
		tuple.ipv4.dport = arrived->tcp.dest;
		return bpf_sk_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	}
	__builtin_memcpy(tuple.ipv6.saddr, &arrived->ip6.saddr, 16);
	__builtin_memcpy(tuple.ipv6.daddr, &arrived->ip6.daddr, 16);
	tuple.ipv6.sport = arrived->tcp.source;
	tuple.ipv6.dport = arrived->tcp.dest;
	return bpf_sk_lookup_tcp(skb, &tuple, sizeof(tuple.ipv6), BPF_F_CURRENT_NETNS, 0);
}

/* What is missing, of a watched connection that waits for its timer. */
static __always_inline bool is_missing(struct __sk_buff *skb, const struct arrived *arrived, struct missing *missing)
{
	struct connection *connection;
	bool answer = false;
	struct tcp_sock *tp;
	struct bpf_sock *sk = find(skb, arrived);

	if (!sk)
		return false;
	connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	tp = bpf_skc_to_tcp_sock(sk);
	if (connection && tp && waits(tp, connection, arrived)) {
		missing->sequence = tp->snd_una;
		missing->doublings = tp->inet_conn.icsk_backoff;
		tell((struct sock *)tp, REPORT_ASKED, missing->doublings, 0, 0);
		answer = true;
	}
	bpf_sk_release(sk);
	return answer;
}

static __always_inline __sum16 folded(__s64 sum)
{
	__u32 folded = (sum & 0xffff) + ((sum >> 16) & 0xffff);

	folded = (folded & 0xffff) + (folded >> 16);
	return ~folded;
}

static __always_inline void fill_ip4(struct iphdr *ip, __be32 from, __be32 to, __u8 protocol, __u16 length)
{
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = HOPS;
	ip->protocol = protocol;
	ip->tot_len = bpf_htons(length);
	ip->saddr = from;
	ip->daddr = to;
	ip->check = folded(bpf_csum_diff(NULL, 0, (__be32 *)ip, sizeof(*ip), 0));
}

static __always_inline void fill_ip6(struct ipv6hdr *ip, const struct in6_addr *from, const struct in6_addr *to,
				     __u8 next, __u16 length)
{
	ip->version = 6;
	ip->hop_limit = HOPS;
	ip->nexthdr = next;
	ip->payload_len = bpf_htons(length);
	ip->saddr = *from;
	ip->daddr = *to;
}

/* As if the quoted segment had come back: its ports are those of the acknowledgment, the other way round. */
static __always_inline void fill_quoted(struct quoted *quoted, const struct arrived *arrived, __u32 sequence)
{
	quoted->source = arrived->tcp.dest;
	quoted->dest = arrived->tcp.source;
	quoted->sequence = bpf_htonl(sequence);
}

/* Turn what comes after the link layer's header into other bytes. */
static __always_inline bool replace(struct __sk_buff *skb, __u32 link_length, const void *bytes, __u32 length)
{
	if (bpf_skb_change_tail(skb, link_length + length, 0))
		return false;
	return !bpf_skb_store_bytes(skb, link_length, bytes, length, BPF_F_RECOMPUTE_CSUM);
}

static __always_inline bool make4(struct __sk_buff *skb, __u32 link_length, const struct arrived *arrived, __u32 sequence)
{
	struct message4 message = {};
	const struct iphdr *ip = &arrived->ip4;

	fill_ip4(&message.ip, ip->saddr, ip->daddr, IPPROTO_ICMP, sizeof(message));
	fill_ip4(&message.quoted_ip, ip->daddr, ip->saddr, IPPROTO_TCP, sizeof(message.quoted_ip) + TCP_LENGTH);
	fill_quoted(&message.quoted, arrived, sequence);
	message.icmp.type = ICMP_UNREACHABLE;
	message.icmp.code = ICMP_HOST;
	message.icmp.check =
		folded(bpf_csum_diff(NULL, 0, (__be32 *)&message.icmp, sizeof(message) - sizeof(message.ip), 0));
	return replace(skb, link_length, &message, sizeof(message));
}

static __always_inline bool make6(struct __sk_buff *skb, __u32 link_length, const struct arrived *arrived, __u32 sequence)
{
	struct message6 message = {};
	const struct ipv6hdr *ip = &arrived->ip6;
	__u32 length = sizeof(message) - sizeof(message.ip);
	/* The pseudo header (RFC 8200 section 8.1): both addresses, length, next header. */
	__be32 pseudo[2] = { bpf_htonl(length), bpf_htonl(ICMPV6_NEXT) };
	__s64 sum;

	fill_ip6(&message.ip, &ip->saddr, &ip->daddr, ICMPV6_NEXT, length);
	fill_ip6(&message.quoted_ip, &ip->daddr, &ip->saddr, IPPROTO_TCP, TCP_LENGTH);
	fill_quoted(&message.quoted, arrived, sequence);
	message.icmp.type = ICMPV6_UNREACHABLE;
	/* Code 0, no route to destination: the one that the kernel takes for RFC 6069. */
	sum = bpf_csum_diff(NULL, 0, pseudo, sizeof(pseudo), 0);
	sum = bpf_csum_diff(NULL, 0, (__be32 *)&message.ip.saddr, 2 * sizeof(struct in6_addr), sum);
	message.icmp.check = folded(bpf_csum_diff(NULL, 0, (__be32 *)&message.icmp, length, sum));
	return replace(skb, link_length, &message, sizeof(message));
}

SEC("tcx/ingress")
int seamline_resend(struct __sk_buff *skb)
{
	struct sk_buff *kernel = bpf_cast_to_kern_ctx(skb);
	/* None on devices without a link layer, such as tunnels. */
	__u32 link_length = kernel->mac_len;
	struct arrived arrived = {};
	struct missing missing = {};
	__u8 kept[LENGTH_MASK + 1] = {};
	bool made;
	__u32 length;

	if (!is_marked(skb, &arrived) || !is_missing(skb, &arrived, &missing))
		return PASS_ON;
	length = arrived.length & LENGTH_MASK;
	if (length < IPV4_LENGTH || length > LONGEST || bpf_skb_load_bytes_relative(skb, 0, kept, length, BPF_HDR_START_NET))
		return PASS_ON;
	if (arrived.ip_length == IPV4_LENGTH)
		made = make4(skb, link_length, &arrived, missing.sequence);
	else
		made = make6(skb, link_length, &arrived, missing.sequence);
	/* Made or not, the packet may have been changed: what it was is put back below. */
	if (made) {
		count(COUNT_ASKED);
		for (__u32 i = 0; i < MOST_DOUBLINGS && i < missing.doublings; i++)
			bpf_clone_redirect(skb, skb->ifindex, BPF_F_INGRESS);
	}
	if (!replace(skb, link_length, kept, length))
		return DROP;
	/* Behind the messages, which wait in the backlog of this processor. */
	return bpf_redirect(skb->ifindex, BPF_F_INGRESS);
}
