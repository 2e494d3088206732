//! The behaviours that the RFCs demand, as segment scripts; each test names its RFC and section.
//! Vegas and both Westwoods follow papers instead, and are tested in the same way.
#![expect(clippy::single_range_in_vec_init, reason = "a list of one SACK block is meant")]

mod acceptance;
mod accurate_ecn;
mod ack_buffering;
mod adaptive;
mod application;
mod closing;
mod congestion;
mod cross_layer;
mod dcr;
mod dctcp;
mod delayed_duplicates;
mod demo_vegas;
mod ecn;
mod elfn;
mod freebsd;
mod freeze_timestamps;
mod handover;
mod handshake;
mod icmp;
mod linux_opening;
mod loss;
mod loss_notification;
mod marks;
mod mobility_vegas;
mod options;
mod pacing;
mod persist;
mod proportional;
mod rack;
mod receiving;
mod regressions;
mod satcp;
mod script;
mod selective;
mod sending;
mod sequence;
mod spurious;
mod tcp_r;
mod timers;
mod tuning;
mod vegas;
mod westwood;
mod window_use;
