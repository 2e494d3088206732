/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Explicit Handover Notification (ehn-2004: Izumikawa, Yamaguchi and Katto, IEEE WCNC 2004) for senders with the kernel's TCP.
 * marks.h finds the marks, window.h restores the window, retransmission.h has the first missing segment sent at once. losses.h keeps
 * the window where marks say that losses were the air's.
 */
#include "marks.h"
#include "window.h"
#include "retransmission.h"

char _license[] SEC("license") = "Dual MIT/GPL";
