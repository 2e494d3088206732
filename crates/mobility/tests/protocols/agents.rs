//! The foreign agent and the home agent, by their messages.

use crate::support::{
    AGENT_1, AGENT_2, Caused, HOME_AGENT, MOBILE, SENDER, carrying, data, deliver, request, wake_until,
};
use seamline_mobility::{
    AdvertisementConfig, AgentPorts, AnchorPorts, ForeignAgent, ForeignAgentConfig, HomeAgent,
    HomeAgentConfig,
};
use seamline_wire::control::{AgentFlags, Identification, RegistrationReply, RegistrationRequest, ReplyCode};
use seamline_wire::random::Stream;
use seamline_wire::{Control, DropCause, Duration, Instant, Machine, MobilityEvent, NodeId, Packet, Tunnel};

const START: Instant = Instant::from_secs(100);

fn foreign_agent(stream: &str, jitter_ms: u64) -> ForeignAgent {
    let config = ForeignAgentConfig {
        node: AGENT_1,
        advertisements: AdvertisementConfig {
            interval: Duration::from_millis(100),
            jitter: Duration::from_millis(jitter_ms),
            lifetime_s: AdvertisementConfig::usual_lifetime_s(Duration::from_millis(100)),
        },
        longest_registration_s: 300,
        is_home_agent_too: false,
    };
    ForeignAgent::new(config, Stream::new(1, stream))
}

fn home_agent() -> HomeAgent {
    let mut agent = HomeAgent::new(HomeAgentConfig { node: HOME_AGENT, longest_registration_s: 600 });
    agent.add_home(MOBILE);
    agent
}

fn tunnelled(exit: NodeId) -> Packet {
    let mut packet = data(SENDER, MOBILE);
    assert!(packet.encapsulate(Tunnel { entry: HOME_AGENT, exit }));
    packet
}

fn by_air(agent: &mut ForeignAgent, now: Instant, request: RegistrationRequest) -> Caused {
    let packet = carrying(MOBILE, AGENT_1, Control::RegistrationRequest(request));
    deliver(agent, now, AgentPorts::AIR, packet)
}

fn accepted(request: &RegistrationRequest) -> RegistrationReply {
    RegistrationReply {
        code: ReplyCode::ACCEPTED,
        lifetime_s: request.lifetime_s,
        home_address: request.home_address,
        home_agent: request.home_agent,
        identification: request.identification,
    }
}

fn answer(agent: &mut ForeignAgent, now: Instant, reply: RegistrationReply) -> Caused {
    let packet = carrying(HOME_AGENT, AGENT_1, Control::RegistrationReply(reply));
    deliver(agent, now, AgentPorts::NETWORK, packet)
}

/// The first advertisement is uniform in the interval: over 2000 agents the mean is 50 ms and the standard
/// deviation 28.87 ms, each within four standard errors; then the interval is kept to the nanosecond.
#[test]
fn advertisements_have_a_uniform_phase_and_a_fixed_interval() {
    let firsts: Vec<f64> = (0..2000)
        .map(|n| {
            let mut agent = foreign_agent(&format!("cell/{n}/advertisement"), 0);
            let times: Vec<Instant> =
                wake_until(&mut agent, Instant::from_secs(1)).into_iter().map(|(at, _)| at).collect();
            assert!(times.windows(2).all(|pair| pair[1] - pair[0] == Duration::from_millis(100)));
            assert_eq!(times.len(), 10, "{times:?}");
            times[0].as_secs_f64() * 1e3
        })
        .collect();
    let mean = firsts.iter().sum::<f64>() / 2000.0;
    let variance = firsts.iter().map(|first| (first - mean) * (first - mean)).sum::<f64>() / 1999.0;
    assert!((47.4..52.6).contains(&mean), "{mean}");
    assert!((27.7..30.0).contains(&variance.sqrt()), "{}", variance.sqrt());
    assert!(firsts.iter().all(|first| (0.0..100.0).contains(first)));
}

#[test]
fn jitter_shortens_intervals() {
    let mut agent = foreign_agent("cell/jitter/advertisement", 25);
    let times: Vec<Instant> =
        wake_until(&mut agent, Instant::from_secs(200)).into_iter().map(|(at, _)| at).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_millis_f64()).collect();
    assert!(gaps.iter().all(|gap| (75.0..=100.0).contains(gap)));
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((86.8..88.2).contains(&mean), "{mean}");
}

#[test]
fn advertisements_say_what_the_agent_offers() {
    let mut agent = foreign_agent("cell/1/advertisement", 0);
    let all = wake_until(&mut agent, Instant::from_secs(1));
    for (n, (_, caused)) in all.iter().enumerate() {
        let [(port, NodeId::ALL_SYSTEMS, Control::AgentAdvertisement(heard))] = caused.messages()[..] else {
            panic!("{caused:?}");
        };
        assert_eq!((port, usize::from(heard.sequence)), (AgentPorts::AIR, n));
        assert_eq!((heard.agent, heard.care_of_address), (AGENT_1, Some(AGENT_1)));
        assert_eq!(
            (heard.lifetime_s, heard.registration_lifetime_s),
            (1, 300),
            "three intervals, rounded up"
        );
        assert_eq!(heard.flags, AgentFlags::FOREIGN_AGENT);
    }
    let due = agent.wake_at();
    let asked = carrying(MOBILE, NodeId::ALL_ROUTERS, Control::AgentSolicitation);
    let caused = deliver(&mut agent, Instant::from_secs(1), AgentPorts::AIR, asked);
    assert!(matches!(caused.messages()[..], [(AgentPorts::AIR, MOBILE, Control::AgentAdvertisement(_))]));
    assert_eq!(agent.wake_at(), due, "a solicitation leaves the schedule alone");
}

#[test]
fn a_registration_passes_through_the_foreign_agent() {
    let mut agent = foreign_agent("cell/1/advertisement", 0);
    let lost = deliver(&mut agent, START, AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!((lost.packets.len(), lost.drops()), (0, vec![DropCause::NoVisitor]));

    let asked = request(AGENT_1, 200, START);
    let passed = by_air(&mut agent, START, asked);
    assert_eq!(passed.messages(), [(AgentPorts::NETWORK, HOME_AGENT, Control::RegistrationRequest(asked))]);
    assert_eq!(passed.packets[0].1.source, AGENT_1, "the reply comes back here");
    let lost = deliver(&mut agent, START, AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!(lost.drops(), [DropCause::NoVisitor], "no visitor before the reply");

    let reply = accepted(&asked);
    let passed = answer(&mut agent, START, reply);
    assert_eq!(passed.messages(), [(AgentPorts::AIR, MOBILE, Control::RegistrationReply(reply))]);
    let served = deliver(&mut agent, START, AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!(served.packets, [(AgentPorts::AIR, data(SENDER, MOBILE))], "out of the tunnel");

    let end = START + Duration::from_secs(200);
    let last = deliver(&mut agent, end - Duration::from_nanos(1), AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!(last.packets.len(), 1);
    let after = deliver(&mut agent, end, AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!(after.drops(), [DropCause::NoVisitor], "the lifetime is over");
}

#[test]
fn replies_that_answer_nothing_are_discarded() {
    let mut agent = foreign_agent("cell/1/advertisement", 0);
    let (first, second) =
        (request(AGENT_1, 200, START), request(AGENT_1, 200, START + Duration::from_secs(1)));
    assert!(answer(&mut agent, START, accepted(&first)).packets.is_empty(), "no request is pending");
    by_air(&mut agent, START, first);
    by_air(&mut agent, START, second);
    let stranger = RegistrationReply { home_agent: SENDER, ..accepted(&second) };
    let low = accepted(&first).identification.low() == accepted(&second).identification.low();
    assert!(low, "a whole second apart: the low halves agree");
    assert!(answer(&mut agent, START, stranger).packets.is_empty(), "another home agent");
    let other = RegistrationReply { identification: Identification(77), ..accepted(&second) };
    assert!(answer(&mut agent, START, other).packets.is_empty(), "another request");
    assert_eq!(answer(&mut agent, START, accepted(&second)).packets.len(), 1);
    assert!(answer(&mut agent, START, accepted(&second)).packets.is_empty(), "answered already");
}

#[test]
fn refused_and_ended_registrations_serve_no_node() {
    let mut agent = foreign_agent("cell/1/advertisement", 0);
    let asked = request(AGENT_1, 200, START);
    by_air(&mut agent, START, asked);
    let refused = RegistrationReply { code: ReplyCode::IDENTIFICATION_MISMATCH, ..accepted(&asked) };
    assert_eq!(answer(&mut agent, START, refused).packets.len(), 1, "the mobile node shall know");
    let lost = deliver(&mut agent, START, AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!(lost.drops(), [DropCause::NoVisitor]);

    let mut agent = foreign_agent("cell/1/advertisement", 0).with_visitor(MOBILE, 300);
    let ended = request(AGENT_1, 0, START);
    by_air(&mut agent, START, ended);
    answer(&mut agent, START, accepted(&ended));
    let lost = deliver(&mut agent, START, AgentPorts::NETWORK, tunnelled(AGENT_1));
    assert_eq!(lost.drops(), [DropCause::NoVisitor]);
}

#[test]
fn the_foreign_agent_refuses_what_it_cannot_do() {
    let mut agent = foreign_agent("cell/1/advertisement", 0);
    for (asked, code) in [
        (request(AGENT_2, 200, START), ReplyCode::INVALID_CARE_OF_ADDRESS),
        (request(AGENT_1, 301, START), ReplyCode::LIFETIME_TOO_LONG),
    ] {
        let reply = by_air(&mut agent, START, asked).reply();
        assert_eq!((reply.code, reply.lifetime_s), (code, 300));
        assert_eq!(reply.identification, asked.identification);
    }
}

#[test]
fn what_concerns_others_passes_the_foreign_agent() {
    let mut agent = foreign_agent("cell/1/advertisement", 0);
    let up = deliver(&mut agent, START, AgentPorts::AIR, data(MOBILE, SENDER));
    assert_eq!(up.packets, [(AgentPorts::NETWORK, data(MOBILE, SENDER))]);
    let here = deliver(&mut agent, START, AgentPorts::NETWORK, data(SENDER, AGENT_1));
    assert_eq!(here.packets, [(AgentPorts::NODE, data(SENDER, AGENT_1))]);
}

fn register(agent: &mut HomeAgent, now: Instant, request: RegistrationRequest) -> Caused {
    let packet = carrying(request.care_of_address, HOME_AGENT, Control::RegistrationRequest(request));
    deliver(agent, now, AnchorPorts::LOCAL, packet)
}

#[test]
fn the_home_agent_tunnels_to_the_care_of_address_and_no_longer_than_agreed() {
    let mut agent = home_agent();
    let at_home = deliver(&mut agent, START, AnchorPorts::NETWORK, data(SENDER, MOBILE));
    assert_eq!(at_home.packets, [(AnchorPorts::HOME, data(SENDER, MOBILE))]);

    let caused = register(&mut agent, START, request(AGENT_1, 60_000, START));
    assert_eq!(caused.messages()[0].0, AnchorPorts::NETWORK);
    assert_eq!(caused.messages()[0].1, AGENT_1, "to the sender of the request");
    let reply = caused.reply();
    assert_eq!((reply.code, reply.lifetime_s), (ReplyCode::ACCEPTED, 600), "no longer than it grants");
    let changed = |care_of_address| MobilityEvent::BindingChanged { home_address: MOBILE, care_of_address };
    assert_eq!(caused.mobility(), [changed(Some(AGENT_1))]);

    let away = deliver(&mut agent, START, AnchorPorts::NETWORK, data(SENDER, MOBILE));
    assert_eq!(away.packets, [(AnchorPorts::NETWORK, tunnelled(AGENT_1))]);
    let end = START + Duration::from_secs(600);
    assert_eq!(agent.wake_at(), Some(end));
    let over = wake_until(&mut agent, end);
    assert_eq!(over[0].1.mobility(), [changed(None)]);
    assert_eq!((agent.wake_at(), agent.care_of_address(end, MOBILE)), (None, None));
}

/// Of several bindings the agent waits for the one that runs out first, also when one is renewed, ended or begun.
#[test]
fn the_home_agent_wakes_when_the_next_binding_runs_out() {
    let mut agent = home_agent();
    agent.add_home(SENDER);
    let of = |home_address, lifetime_s| RegistrationRequest {
        home_address,
        ..request(AGENT_1, lifetime_s, START)
    };
    let after = |seconds| Some(START + Duration::from_secs(seconds));
    register(&mut agent, START, of(MOBILE, 300));
    assert_eq!(agent.wake_at(), after(300));
    register(&mut agent, START, of(SENDER, 100));
    assert_eq!(agent.wake_at(), after(100));
    let later = START + Duration::from_secs(50);
    let renewed = RegistrationRequest { home_address: SENDER, ..request(AGENT_1, 600, later) };
    register(&mut agent, later, renewed);
    assert_eq!(agent.wake_at(), after(300), "the other one now");
    register(&mut agent, later, request(MOBILE, 0, later));
    assert_eq!(agent.wake_at(), after(650), "that one has ended");
    wake_until(&mut agent, START + Duration::from_secs(650));
    assert_eq!(agent.wake_at(), None);
    agent.bind(MOBILE, AGENT_2, 1000);
    assert_eq!(agent.wake_at(), Some(Instant::from_secs(1000)));
}

#[test]
fn a_later_request_wins_whatever_the_order_of_arrival() {
    let mut agent = home_agent();
    let later = START + Duration::from_millis(30);
    let (old, new) = (request(AGENT_1, 300, START), request(AGENT_2, 300, later));
    assert_eq!(register(&mut agent, later, new).reply().code, ReplyCode::ACCEPTED);
    for stale in [old, new] {
        let caused = register(&mut agent, later, stale);
        let reply = caused.reply();
        assert_eq!((reply.code, reply.lifetime_s), (ReplyCode::IDENTIFICATION_MISMATCH, 0));
        assert_eq!(reply.identification.low(), stale.identification.low());
        assert_eq!(reply.identification.seconds(), 100, "its own time");
        assert_eq!(caused.mobility(), []);
    }
    assert_eq!(agent.care_of_address(later, MOBILE), Some(AGENT_2));
}

/// RFC 5905 section 6: whole seconds in the upper half, in the lower one fractions of 2^-32 s.
#[test]
fn identifications_are_times_in_the_format_of_ntp() {
    let of = |millis| Identification::at(Instant::from_millis(millis)).0;
    assert_eq!((of(0), of(100_000), of(7_250)), (0, 0x64_0000_0000, 0x7_4000_0000));
}

/// RFC 5944 section 5.7.1: seven seconds, either way.
#[test]
fn clocks_may_be_seven_seconds_apart() {
    for (apart, code) in [(7, ReplyCode::ACCEPTED), (8, ReplyCode::IDENTIFICATION_MISMATCH)] {
        for at in [START - Duration::from_secs(apart), START + Duration::from_secs(apart)] {
            let reply = register(&mut home_agent(), START, request(AGENT_1, 300, at)).reply();
            assert_eq!(reply.code, code, "{at}");
        }
    }
}

#[test]
fn the_home_agent_refuses_strangers() {
    let stranger = RegistrationRequest { home_address: SENDER, ..request(AGENT_1, 300, START) };
    assert_eq!(register(&mut home_agent(), START, stranger).reply().code, ReplyCode::PROHIBITED);
    let mistaken = RegistrationRequest { home_agent: AGENT_2, ..request(AGENT_1, 300, START) };
    assert_eq!(register(&mut home_agent(), START, mistaken).reply().code, ReplyCode::UNKNOWN_HOME_AGENT);
    let lost = deliver(&mut home_agent(), START, AnchorPorts::NETWORK, data(MOBILE, SENDER));
    assert_eq!(lost.drops(), [DropCause::NoRoute]);
}

#[test]
fn coming_home_ends_the_tunnel() {
    let mut agent = home_agent();
    agent.bind(MOBILE, AGENT_1, 300);
    let caused = register(&mut agent, START, request(MOBILE, 0, START));
    assert_eq!(caused.messages()[0].0, AnchorPorts::HOME, "the router would send it back here");
    assert_eq!(caused.reply().code, ReplyCode::ACCEPTED);
    let at_home = deliver(&mut agent, START, AnchorPorts::NETWORK, data(SENDER, MOBILE));
    assert_eq!(at_home.packets, [(AnchorPorts::HOME, data(SENDER, MOBILE))]);
}
