/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel's cubic, with a memory: what the window was before a timeout, and back to it when a mark says that the timeout
 * was the move's.
 */
#pragma once

#include "losses.h"

/*
 * While a window is on trial the kernel paces at 120 % of window over round-trip time (net.ipv4.tcp_pacing_ca_ratio). So much
 * less of the window makes that the rate of the window from before the timeout, which the queue bore; but the kernel goes by what
 * is outstanding while that is more, and is a fifth faster at most until it is acknowledged.
 */
#define PACING_PERCENT 120
/* As many as may begin a connection (RFC 6928). */
#define NEW_SEGMENTS 10
/* The threshold of a connection that has lost nothing yet. */
#define TCP_INFINITE_SSTHRESH 0x7fffffff

static __always_inline __u32 smaller(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

static __always_inline __u32 pacing_none(void)
{
	return bpf_core_enum_value(enum sk_pacing, SK_PACING_NONE);
}

static __always_inline __u32 pacing_needed(void)
{
	return bpf_core_enum_value(enum sk_pacing, SK_PACING_NEEDED);
}

static __always_inline void stop_pacing(struct tcp_sock *tp, struct connection *connection)
{
	struct sock *sk = &tp->inet_conn.icsk_inet.sk;

	/* An application that has set a limit meanwhile (SO_MAX_PACING_RATE) is paced on. */
	if (connection->paced && sk->sk_pacing_status == pacing_needed() && sk->sk_max_pacing_rate == ~0UL)
		sk->sk_pacing_status = pacing_none();
	connection->paced = 0;
}

/* A timeout begins an episode: remember what the kernel is about to give up. */
static __always_inline void remember(struct sock *sk, struct connection *connection, __u32 window, __u32 threshold)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (connection->on_trial) {
		/* What was restored did not hold: nothing above the kernel's own reduction is worth remembering. */
		window = smaller(window, connection->reduced);
		tp->snd_ssthresh = smaller(tp->snd_ssthresh, connection->reduced);
		connection->on_trial = 0;
		stop_pacing(tp, connection);
		count(COUNT_UNDONE);
		tell(sk, REPORT_UNDONE, window, tp->snd_ssthresh, tp->lost - connection->lost_before);
	}
	/* A window without a bound is none that was ever in use. */
	connection->window = window < TCP_INFINITE_SSTHRESH ? window : 0;
	/* A threshold without a bound would let slow start go on above the window that is known to fit. */
	connection->threshold = smaller(threshold, window);
	connection->reduced = tp->snd_ssthresh;
	connection->spent = 0;
	count(COUNT_TIMEOUTS);
	tell(sk, REPORT_TIMEOUT, connection->window, connection->threshold, connection->reduced);
}

/* The kernel itself works out the rate, with each acknowledgment after it has called here, paced or not. */
static __always_inline void pace(struct tcp_sock *tp, struct connection *connection)
{
	/* With fq below, or an application that asked for it, the connection is paced anyhow. */
	if (tp->inet_conn.icsk_inet.sk.sk_pacing_status != pacing_none())
		return;
	tp->inet_conn.icsk_inet.sk.sk_pacing_status = pacing_needed();
	connection->paced = 1;
}

/* The mark's own acknowledgment is being worked on, and nothing has been sent again for it yet. */
static __always_inline void restore(struct sock *sk, struct connection *connection)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 window = (__u64)connection->window * 100 / PACING_PERCENT;
	__u32 from = tp->snd_cwnd;

	connection->spent = 1;
	if (window <= from) {
		count(COUNT_IGNORED_NOTHING_TO_RESTORE);
		return;
	}
	connection->restored_at = bpf_ktime_get_ns();
	connection->restored_by = tp->tcp_mstamp;
	tp->snd_cwnd = window;
	if (connection->threshold > tp->snd_ssthresh)
		tp->snd_ssthresh = connection->threshold;
	connection->on_trial = 1;
	connection->trial_end = tp->snd_nxt;
	connection->lost_before = tp->lost;
	/* What is under way now was sent before the mark: that it is lost says nothing about the new path. */
	connection->lost_allowed = tp->packets_out - tp->lost_out - tp->sacked_out + tp->retrans_out;
	pace(tp, connection);
	count(COUNT_RESTORED);
	tell(sk, REPORT_RESTORED, from, window, tp->snd_ssthresh);
}

/* Whether the window restored holds. Losses at once: back to what the kernel itself had reduced to. */
static __always_inline void watch(struct sock *sk, struct connection *connection)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 lost = tp->lost - connection->lost_before;

	if (lost > connection->lost_allowed) {
		tp->snd_ssthresh = smaller(tp->snd_ssthresh, connection->reduced);
		if (tp->snd_cwnd > connection->reduced)
			tp->snd_cwnd = connection->reduced;
		count(COUNT_UNDONE);
		tell(sk, REPORT_UNDONE, tp->snd_cwnd, tp->snd_ssthresh, lost);
	} else if (!before(tp->snd_una, connection->trial_end)) {
		count(COUNT_KEPT);
		tell(sk, REPORT_KEPT, tp->snd_cwnd, tp->snd_ssthresh, lost);
	} else {
		return;
	}
	connection->on_trial = 0;
	stop_pacing(tp, connection);
}

SEC("struct_ops")
void BPF_PROG(seamline_init, struct sock *sk)
{
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);

	if (connection)
		connection->restores = 1;
	cubictcp_init(sk);
}

/* The connection closes, is disconnected or is given another congestion control, which is not to find itself paced. */
SEC("struct_ops")
void BPF_PROG(seamline_release, struct sock *sk)
{
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);

	if (!connection)
		return;
	stop_pacing((struct tcp_sock *)sk, connection);
	connection->restores = 0;
	connection->kept = 0;
	connection->on_trial = 0;
	connection->window = 0;
}

SEC("struct_ops")
u32 BPF_PROG(seamline_ssthresh, struct sock *sk)
{
	return threshold_of(sk, bpf_sk_storage_get(&connections, sk, 0, 0));
}

SEC("struct_ops")
void BPF_PROG(seamline_avoid, struct sock *sk, u32 ack, u32 acked)
{
	cubictcp_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
void BPF_PROG(seamline_acked, struct sock *sk, const struct ack_sample *sample)
{
	cubictcp_acked(sk, sample);
}

/*
 * The kernel itself takes the timeout back: with the mark an acknowledgment has come that was lost during the move, and its
 * timestamp or F-RTO (RFC 5682) says that something had arrived before the timeout. The kernel then counts all the rest as under
 * way again, and with a full window would wait for its timer once more. The mark says better: some new segments show by their
 * acknowledgments within a round trip what was lost, as those of limited transmit do (RFC 3042).
 */
SEC("struct_ops")
u32 BPF_PROG(seamline_undo, struct sock *sk)
{
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u32 window = tcp_reno_undo_cwnd(sk);
	u32 least = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out + NEW_SEGMENTS;

	if (!connection || !connection->on_trial)
		return window;
	/* Later acknowledgments find the window restored under way, which `least` would add to. */
	if (connection->restored_by != tp->tcp_mstamp)
		least = 0;
	least = smaller(least, connection->window + NEW_SEGMENTS);
	connection->on_trial = 0;
	stop_pacing(tp, connection);
	count(COUNT_TAKEN_BACK_BY_KERNEL);
	tell(sk, REPORT_TAKEN_BACK_BY_KERNEL, 0, 0, 0);
	return window < least ? least : window;
}

SEC("struct_ops")
void BPF_PROG(seamline_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	/* Called after the kernel has noted the values from before, for each timeout that begins an episode. */
	if (event == bpf_core_enum_value(enum tcp_ca_event, CA_EVENT_LOSS)) {
		struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);

		if (connection) {
			/* The kernel has just asked for the threshold, and nothing said then that it was for a timeout. */
			reduce(sk, connection);
			remember(sk, connection, tp->prior_cwnd, tp->prior_ssthresh);
		}
	}
	cubictcp_cwnd_event(sk, event);
}

SEC("struct_ops")
void BPF_PROG(seamline_state, struct sock *sk, u8 new_state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	__u8 old_state = recovery_state(tp);

	/* A timeout within fast recovery; ECN, or a full queue of this host. */
	if (connection && (new_state == TCP_CA_Loss || new_state == TCP_CA_CWR))
		reduce(sk, connection);
	/*
	 * A timeout within fast recovery comes without that event. What recovery has given up was lost to congestion. Other ways into
	 * Loss without it are no timeouts: a path with a smaller MTU (tcp_simple_retransmit), data of a SYN that was refused.
	 */
	if (connection && new_state == TCP_CA_Loss && !connection->window &&
	    (old_state == TCP_CA_Recovery || old_state == TCP_CA_CWR))
		remember(sk, connection, tp->snd_ssthresh, tp->snd_ssthresh);
	else if (connection && new_state != TCP_CA_Loss)
		connection->window = 0;
	cubictcp_state(sk, new_state);
}

/*
 * Called for an acknowledgment that the kernel has accepted (RFC 5961 section 5), after it has taken away what is
 * acknowledged and before it sends anything again.
 */
SEC("struct_ops")
void BPF_PROG(seamline_in_ack, struct sock *sk, u32 flags)
{
	struct connection *connection = bpf_sk_storage_get(&connections, sk, 0, 0);
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (!connection)
		return;
	watch_losses(sk, connection, flags & bpf_core_enum_value(enum tcp_ca_ack_event_flags, CA_ACK_ECE));
	if (connection->on_trial)
		watch(sk, connection);
	if (connection->marked_at && connection->marked_at == tp->tcp_mstamp && recovery_state(tp) == TCP_CA_Loss)
		restore(sk, connection);
	connection->marked_at = 0;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops seamline_cubic = {
	.init = (void *)seamline_init,
	.release = (void *)seamline_release,
	.ssthresh = (void *)seamline_ssthresh,
	.cong_avoid = (void *)seamline_avoid,
	.set_state = (void *)seamline_state,
	.undo_cwnd = (void *)seamline_undo,
	.cwnd_event = (void *)seamline_event,
	.pkts_acked = (void *)seamline_acked,
	.in_ack_event = (void *)seamline_in_ack,
	.name = "seamline_cubic",
};
