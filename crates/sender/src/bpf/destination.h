/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Which peers are helped: those within a prefix of the list that destinations.rs fills. */
#pragma once

#include "kernel.h"

/* What the kernel compares bit by bit: the version first, so that no prefix of one version has addresses of the other. */
struct destination {
	__u32 bits;
	__u8 version[4];
	__be32 address[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	/* The loader makes room for what it fills in. */
	__uint(max_entries, 1);
	__type(key, struct destination);
	__type(value, __u8);
} destinations SEC(".maps");

/* Whether the peer of a connection is within one of them. One with an IPv4-mapped address (RFC 4291) is one of IPv4. */
static __always_inline bool is_destination(struct bpf_sock_ops *context)
{
	struct destination peer = { .bits = 32 + 128, .version = { 6 } };

	if (context->family == AF_INET6) {
		peer.address[0] = context->remote_ip6[0];
		peer.address[1] = context->remote_ip6[1];
		peer.address[2] = context->remote_ip6[2];
		peer.address[3] = context->remote_ip6[3];
		if (!peer.address[0] && !peer.address[1] && peer.address[2] == bpf_htonl(0xffff)) {
			peer.version[0] = 4;
			peer.address[0] = peer.address[3];
		}
	} else {
		peer.version[0] = 4;
		peer.address[0] = context->remote_ip4;
	}
	return bpf_map_lookup_elem(&destinations, &peer);
}
