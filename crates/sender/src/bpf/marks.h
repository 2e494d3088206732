/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Which connections are watched, and which of their marks count. */
#pragma once

#include "losses.h"
#include "destination.h"

/* Kind, length, experiment identifier, subtype; the values come from the project's codec (build.rs). */
struct mark {
	__u8 kind;
	__u8 length;
	__be16 experiment;
	__u8 subtype;
	__u8 losses[MOST_LOSSES * LOSS_LENGTH];
	__u8 rest[23];
};

/* The name of our congestion control: the first of its kind that no other seamline-host sender on the host has (load.rs). */
const volatile char ours[16] SEC(".rodata.name") = "seamline_cubic";

static __always_inline bool is_named(const char *name, const char *other)
{
	for (int i = 0; i < 16; i++) {
		if (name[i] != other[i])
			return false;
		if (!name[i])
			break;
	}
	return true;
}

/* Whether a name is that of a congestion control of some seamline-host sender. */
static __always_inline bool is_of_a_sender(const char *name)
{
	const char family[] = "seamline_cubic";

	for (int i = 0; i < (int)sizeof(family) - 1; i++) {
		if (name[i] != family[i])
			return false;
	}
	return true;
}

/*
 * A connection of the cgroup is established. One that uses the kernel's cubic gets ours, which wraps it; one that has chosen
 * another congestion control keeps it, and only the retransmission timer of such a connection can be helped. One that another
 * seamline-host sender helps, whose cgroup is above or below, is left to it: two would answer the same mark. One whose peer is not
 * among the destinations is not watched at all.
 */
static __always_inline void begin(struct bpf_sock_ops *context, struct bpf_sock *sk)
{
	char control[16] = {}, name[16];
	struct connection *connection;

	if (!is_destination(context)) {
		/* The last connection of the socket may have been to one that is. */
		bpf_sk_storage_delete(&connections, sk);
		count(COUNT_ELSEWHERE);
		return;
	}
	for (int i = 0; i < (int)sizeof(name); i++)
		name[i] = ours[i];
	bpf_getsockopt(context, SOL_TCP, TCP_CONGESTION, control, sizeof(control));
	if (is_of_a_sender(control) && !is_named(control, name)) {
		bpf_sk_storage_delete(&connections, sk);
		count(COUNT_OTHER_CONTROL);
		return;
	}
	connection = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!connection)
		return;
	/* A socket that was disconnected, connect(AF_UNSPEC), still has what was kept of its last connection. */
	*connection = (struct connection){};
	count(COUNT_CONNECTIONS);
	if (!is_named(control, name) &&
	    (!is_named(control, "cubic") || bpf_setsockopt(context, SOL_TCP, TCP_CONGESTION, name, sizeof(name))))
		count(COUNT_OTHER_CONTROL);
	bpf_sock_ops_cb_flags_set(context,
				  context->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG);
}

/*
 * Whether a mark counts: what to count it as, COUNT_RESTORED if it does. Before the kernel calls with an option it has found
 * the segment's sequence number in the receive window and its timestamp not old (RFC 9293 section 3.10.7.4, RFC 7323
 * section 5), but it has not looked at the acknowledgment number yet. That is done here, as strictly as RFC 5961 section 5
 * would allow: only SND.UNA to SND.NXT, because an older one is no news of the move. Who forges a mark must hit both.
 */
static __always_inline __u32 judge(struct tcp_sock *tp, struct connection *connection, __u32 acknowledgment)
{
	if (before(acknowledgment, tp->snd_una) || before(tp->snd_nxt, acknowledgment))
		return COUNT_IGNORED_OUT_OF_WINDOW;
	if (recovery_state(tp) != TCP_CA_Loss || !tp->packets_out)
		return COUNT_IGNORED_NO_TIMEOUT;
	if (connection->spent)
		return COUNT_IGNORED_SPENT;
	if (!connection->restores || connection->window <= tp->snd_cwnd)
		return COUNT_IGNORED_NOTHING_TO_RESTORE;
	if (connection->restored_at && bpf_ktime_get_ns() - connection->restored_at < LEAST_INTERVAL_NS)
		return COUNT_IGNORED_TOO_SOON;
	return COUNT_RESTORED;
}

static __always_inline void accept_mark(struct bpf_sock_ops *context, struct bpf_sock *sk)
{
	struct mark mark = { .kind = MARK_KIND, .length = 4, .experiment = bpf_htons(MARK_EXPERIMENT) };
	struct connection *connection;
	struct tcp_sock *tp;
	struct tcphdr *header = context->skb_data;
	__u32 verdict;
	long length;

	if ((void *)(header + 1) > context->skb_data_end || !header->ack)
		return;
	length = bpf_load_hdr_opt(context, &mark, sizeof(mark), 0);
	if (length < MARK_LENGTH)
		return;
	connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	tp = bpf_skc_to_tcp_sock(sk);
	if (!connection || !tp)
		return;
	if (acts_on_losses && mark.subtype == MARK_LOSSES) {
		take_losses(tp, connection, mark.losses, (length - MARK_LENGTH) / LOSS_LENGTH, bpf_ntohl(header->ack_seq));
		return;
	}
	if (length != MARK_LENGTH || mark.subtype != MARK_HANDOVER)
		return;
	verdict = judge(tp, connection, bpf_ntohl(header->ack_seq));
	if (verdict == COUNT_RESTORED) {
		/* The kernel set this time when it took up the segment: so the mark is its own, and no later one's. */
		connection->marked_at = tp->tcp_mstamp;
		return;
	}
	count(verdict);
	/* Storms are counted, not reported. */
	if (bpf_ktime_get_ns() - connection->reported_at >= LEAST_INTERVAL_NS) {
		connection->reported_at = bpf_ktime_get_ns();
		tell((struct sock *)tp, REPORT_IGNORED, verdict, 0, 0);
	}
}

SEC("sockops")
int seamline_marks(struct bpf_sock_ops *context)
{
	struct bpf_sock *sk = context->sk;

	if (!sk)
		return 1;
	switch (context->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		begin(context, sk);
		break;
	case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
		accept_mark(context, sk);
		break;
	}
	return 1;
}
