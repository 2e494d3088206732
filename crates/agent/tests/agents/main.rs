//! What agents do about a connection, packet by packet and over whole transfers.

mod blind;
mod eln_ack;
mod fairness;
mod in_series;
mod m_tcp;
mod moving_router;
mod obtcp;
mod obtcp_pair;
mod passed_syns;
mod real_packets;
mod schemes;
mod snoop;
mod split;
mod support;
mod timeouts;
mod transfers;
mod tunnels;
mod way;
mod wtcp;
