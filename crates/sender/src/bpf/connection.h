/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What is kept of each connection, and what is reported to user space. The Rust side has the same numbers in `event.rs`. */
#pragma once

#include "kernel.h"

/* At most one mark in so much time moves anything of a connection. */
#define LEAST_INTERVAL_NS 1000000000ULL

struct connection {
	/* tcp_mstamp of the segment whose mark counts, until its acknowledgment has been worked on; 0 for none. */
	__u64 marked_at;
	/* When a window was restored last. */
	__u64 restored_at;
	/* tcp_mstamp of the acknowledgment whose mark restored it. */
	__u64 restored_by;
	/* When the kernel was last asked to send again at once. */
	__u64 asked_at;
	/* When an ignored mark was last reported. */
	__u64 reported_at;
	/* The first missing byte for which the kernel was last asked. */
	__u32 asked_for;
	/* Segments: the window and the threshold from before the timeout; 0 with none to go back to. */
	__u32 window;
	__u32 threshold;
	/* The threshold to which the kernel has reduced. */
	__u32 reduced;
	/* The window restored is on trial until this sequence number is acknowledged. */
	__u32 trial_end;
	/* The kernel's count of losses when the trial began, and how many more say nothing about the new path. */
	__u32 lost_before;
	__u32 lost_allowed;
	__u8 on_trial;
	__u8 paced;
	/* Whether this timeout's window has been restored already. */
	__u8 spent;
	/* Whether its congestion control is ours. */
	__u8 restores;
	/* The acknowledgment number of the last list of losses. */
	__u32 listed_at;
	/* The last loss to congestion that was listed. */
	__u32 congested_at;
	/* Segments: the window that a recovery keeps, 0 for none, and the threshold from before it. */
	__u32 kept;
	__u32 kept_threshold;
	__u8 is_listed;
	__u8 is_congested;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} connections SEC(".maps");

enum count {
	COUNT_CONNECTIONS,
	COUNT_OTHER_CONTROL,
	COUNT_ELSEWHERE,
	COUNT_TIMEOUTS,
	COUNT_RESTORED,
	COUNT_KEPT,
	COUNT_UNDONE,
	COUNT_TAKEN_BACK_BY_KERNEL,
	COUNT_ASKED,
	COUNT_IGNORED_NO_TIMEOUT,
	COUNT_IGNORED_OUT_OF_WINDOW,
	COUNT_IGNORED_SPENT,
	COUNT_IGNORED_TOO_SOON,
	COUNT_IGNORED_NOTHING_TO_RESTORE,
	COUNT_LISTED,
	COUNT_WINDOW_KEPT,
	COUNT_REDUCED,
	COUNT_QUEUED,
	COUNTS,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

enum report {
	REPORT_TIMEOUT,
	REPORT_RESTORED,
	REPORT_KEPT,
	REPORT_UNDONE,
	REPORT_ASKED,
	REPORT_IGNORED,
	REPORT_TAKEN_BACK_BY_KERNEL,
};

struct event {
	__u64 at_ns;
	__u32 report;
	__u16 family;
	__u16 local_port;
	__u8 peer[16];
	__u16 peer_port;
	__u16 unused;
	__u32 numbers[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} events SEC(".maps");

static __always_inline void count(__u32 which)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &which);
	if (value)
		*value += 1;
}

/* Tell user space. A full buffer loses the line, not the count. */
static __always_inline void tell(struct sock *sk, __u32 report, __u32 first, __u32 second, __u32 third)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event)
		return;
	__builtin_memset(event, 0, sizeof(*event));
	event->at_ns = bpf_ktime_get_ns();
	event->report = report;
	event->family = sk->__sk_common.skc_family;
	event->local_port = sk->__sk_common.skc_num;
	event->peer_port = bpf_ntohs(sk->__sk_common.skc_dport);
	if (event->family == AF_INET6)
		bpf_core_read(event->peer, 16, &sk->__sk_common.skc_v6_daddr);
	else
		bpf_core_read(event->peer, 4, &sk->__sk_common.skc_daddr);
	event->numbers[0] = first;
	event->numbers[1] = second;
	event->numbers[2] = third;
	bpf_ringbuf_submit(event, 0);
}
