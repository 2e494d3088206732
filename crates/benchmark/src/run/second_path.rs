//! How the phone gets its second path: the interface at the path's end is moved to it, and MPTCP gets its address.

/// What runs at the end of the path: it waits for the phone in the background, since servers that have ended are not waited for.
pub(super) const AT_ITS_END: &str = "echo $SEAMLINE_ADDRESS > second-path.address; \
    ( for _ in $(seq 500); do [ -s phone.pid ] && break; sleep 0.02; done; \
    ip link set seam0 down && ip link set seam0 netns $(cat phone.pid) name seam1 && echo moved ) > second-path.log 2>&1 &";

/// What runs at the phone, before anything else.
pub(super) const AT_PHONE: &str = "echo $$ > phone.pid; \
    for _ in $(seq 500); do grep -q moved second-path.log 2>/dev/null && break; sleep 0.02; done; \
    second=$(cat second-path.address); ip addr add $second/32 dev seam1 && ip link set seam1 up && \
    ip rule add from $second table 2 && ip route add default dev seam1 table 2 && \
    ip mptcp endpoint add $second dev seam1 subflow backup || exit 1; ";
