/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Explicit loss notification (eln-ack: Ding and Jamalipour, 2001, section III): a segment lost over the air is sent again at once
 * and costs no window.
 *
 * The first half needs no help. The kernel sends again, in the round trip in which SACK blocks or duplicates report the gap, exactly
 * what they report as missing (RFC 6675, RFC 8985). A copy kept here and sent by a raw socket would only come as well, and an attacker
 * could ask for it. The second half is one number: the kernel asks the congestion control for the threshold once for each recovery
 * (tcp_init_cwnd_reduction), and proportional rate reduction (RFC 6937) steers the window towards it. With the window itself as the
 * answer, each segment that has left the network is replaced and nothing is reduced.
 *
 * Everything else that asks for the threshold reduces as before: timeouts, ECN, losses that are not known to be the air's, and those at
 * a queue that the window fills.
 */
#pragma once

#include "connection.h"

/* So many losses an acknowledgment lists at most; three bytes each, the first bit of which is set for congestion. */
#define MOST_LOSSES 4
#define LOSS_LENGTH 3
#define CONGESTION 0x80
/* Cubic keeps so many tenths of a window (RFC 9438 section 4.6). */
#define TENTHS_KEPT 7

/* Whether marks that list losses count: set before the programs are loaded. */
const volatile __u8 acts_on_losses SEC(".rodata.losses") = 0;

/* Record a list. Nothing of it counts unless all of it can be outstanding (as RFC 5961 section 5 has it for acknowledgments). */
static __always_inline void take_losses(struct tcp_sock *tp, struct connection *connection, const __u8 *losses,
					__u32 count_of, __u32 acknowledgment)
{
	__u32 congested = 0, offset;
	bool is_congested = false;

	if (before(acknowledgment, tp->snd_una) || !before(acknowledgment, tp->snd_nxt)) {
		count(COUNT_IGNORED_OUT_OF_WINDOW);
		return;
	}
	for (int i = 0; i < MOST_LOSSES; i++) {
		const __u8 *loss = losses + i * LOSS_LENGTH;

		if (i >= count_of)
			break;
		offset = (__u32)(loss[0] & ~CONGESTION) << 16 | loss[1] << 8 | loss[2];
		if (offset >= tp->snd_nxt - acknowledgment) {
			count(COUNT_IGNORED_OUT_OF_WINDOW);
			return;
		}
		if (loss[0] & CONGESTION && (!is_congested || congested < offset)) {
			congested = offset;
			is_congested = true;
		}
	}
	count(COUNT_LISTED);
	connection->listed_at = acknowledgment;
	connection->is_listed = 1;
	if (is_congested && (!connection->is_congested || before(connection->congested_at, acknowledgment + congested))) {
		connection->congested_at = acknowledgment + congested;
		connection->is_congested = 1;
	}
}

/* Whether a loss to congestion is outstanding, as far as was reported. */
static __always_inline bool is_congested(struct tcp_sock *tp, struct connection *connection)
{
	return connection->is_congested && !before(connection->congested_at, tp->snd_una);
}

/* Whether what is missing was lost over the air: a list came with this acknowledgment number, and congestion is reported for nothing. */
static __always_inline bool is_lost_over_the_air(struct tcp_sock *tp, struct connection *connection)
{
	return tp->lost_out && connection->is_listed && connection->listed_at == tp->snd_una && !is_congested(tp, connection);
}

/*
 * Whether so much waits in queues that the window fills the path even when it is reduced. Then the reduction costs nothing, and it is
 * due if the marks lie, or where the queue behind the agent drops. What is under way is rate times round-trip time (Little's law), so
 * the tenths are those of the shortest round trip to the present one. Both are this host's own measurements: delaying acknowledgments
 * makes the bound only stricter.
 */
static __always_inline bool fills_a_queue(struct tcp_sock *tp)
{
	/* The kernel keeps eighths. */
	__u64 smoothed = tp->srtt_us >> 3;

	return smoothed * TENTHS_KEPT > (__u64)tp->rtt_min.s[0].v * 10;
}

/* The threshold of a recovery that begins: the window, if it is to be kept. */
static __always_inline __u32 threshold_of(struct sock *sk, struct connection *connection)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	bool keeps = connection && is_lost_over_the_air(tp, connection);

	if (keeps && fills_a_queue(tp)) {
		count(COUNT_QUEUED);
		keeps = false;
	}
	if (!keeps) {
		if (connection)
			connection->kept = 0;
		return cubictcp_recalc_ssthresh(sk);
	}
	/* Two recoveries may follow each other within an acknowledgment: the threshold from before both is to come back. */
	if (!connection->kept)
		connection->kept_threshold = tp->snd_ssthresh;
	connection->kept = tp->snd_cwnd;
	count(COUNT_WINDOW_KEPT);
	return tp->snd_cwnd;
}

/* It was congestion after all: reduce the window that was kept, as if it had been so from the beginning. */
static __always_inline void reduce(struct sock *sk, struct connection *connection)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 window = tp->snd_cwnd;

	if (!connection->kept)
		return;
	/* Cubic works from the window, and by now that is what recovery makes of it. */
	tp->snd_cwnd = connection->kept;
	tp->snd_ssthresh = cubictcp_recalc_ssthresh(sk);
	tp->snd_cwnd = window;
	connection->kept = 0;
	count(COUNT_REDUCED);
}

/* An acknowledgment is being worked on, and nothing has been sent for it yet. */
static __always_inline void watch_losses(struct sock *sk, struct connection *connection, bool has_ecn_echo)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u8 state = recovery_state(tp);

	if (has_ecn_echo)
		connection->is_listed = 0;
	if (!connection->kept)
		return;
	if (has_ecn_echo || is_congested(tp, connection)) {
		reduce(sk, connection);
	} else if (state == TCP_CA_Open || state == TCP_CA_Disorder) {
		/* Repaired. A threshold that stayed at the window would end slow start. */
		tp->snd_ssthresh = connection->kept_threshold;
		connection->kept = 0;
	}
}
