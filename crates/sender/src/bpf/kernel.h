/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What these programs read and write of the kernel's structures. Only the names matter: where a member is, is found out on
 * the host when the programs are loaded (CO-RE), from the kernel's own type data.
 */
#pragma once

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
#include <bpf/bpf_tracing.h>

/* As the socket interface has them; their headers cannot be included here. */
#define AF_INET 2
#define AF_INET6 10
#define SOL_TCP 6

typedef __u8 u8;
typedef __u32 u32;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
	__be32 skc_daddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	__u32 sk_pacing_status;
	unsigned long sk_max_pacing_rate;
};

struct inet_sock {
	struct sock sk;
	unsigned long inet_flags;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_ca_state : 5;
	__u8 icsk_retransmits;
	__u8 icsk_backoff;
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 prior_cwnd;
	__u32 prior_ssthresh;
	__u32 packets_out;
	__u32 lost_out;
	__u32 sacked_out;
	__u32 retrans_out;
	__u32 lost;
	__u32 srtt_us;
	__u32 rttvar_us;
	struct minmax rtt_min;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 rcv_nxt;
	__u32 rcv_wnd;
	__u64 tcp_mstamp;
	__u64 tcp_wstamp_ns;
};

struct sk_buff {
	__u16 mac_len;
};

/* The values are the host's own, by bpf_core_enum_value. */
enum sk_pacing {
	SK_PACING_NONE,
	SK_PACING_NEEDED,
};

enum tcp_ca_event {
	CA_EVENT_LOSS,
};

enum tcp_ca_ack_event_flags {
	CA_ACK_ECE,
};

struct ack_sample {
	u32 pkts_acked;
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

#pragma clang attribute pop

/*
 * The bits of inet_flags by which a socket has its errors reported (IP_RECVERR, IPV6_RECVERR). Their enumeration has no name by
 * which CO-RE could find it, so host.rs looks them up when the programs are loaded; 0 where the kernel has none.
 */
const volatile __u64 reported_errors SEC(".rodata.host") = 0;

/* What the kernel lets congestion controls in eBPF call. Weak: without them the rest of these programs still loads. */
extern void cubictcp_init(struct sock *sk) __ksym __weak;
extern u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym __weak;
extern void cubictcp_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym __weak;
extern void cubictcp_state(struct sock *sk, u8 new_state) __ksym __weak;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym __weak;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym __weak;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym __weak;
extern void *bpf_cast_to_kern_ctx(void *context) __ksym __weak;

/* Sequence numbers wrap (RFC 9293 section 3.4). */
static __always_inline bool before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

static __always_inline __u8 recovery_state(struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state);
}
