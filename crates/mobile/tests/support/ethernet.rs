//! Two namespaces joined by virtual Ethernet, with the kernel's TCP in both.

use crate::support::{pause, run, skip};
use seamline_lab::system::Namespace;
use seamline_lab::system::netlink::bring_up_loopback;
use seamline_wire::codec::IpVersion;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) struct Ethernet {
    pub(crate) phone: Namespace,
    server: Namespace,
    version: IpVersion,
    holder: Child,
    is_tunnelled: bool,
}

impl Ethernet {
    /// If this host lets us make namespaces, and has the command ip(8).
    pub(crate) fn or_skip(name: &str, version: IpVersion) -> Option<Self> {
        let made = Namespace::new().and_then(|phone| Ok((phone, Namespace::new()?)));
        let joined = made.and_then(|(phone, server)| Ethernet::join(phone, server, version));
        match joined {
            Ok(ethernet) => Some(ethernet),
            Err(error) => {
                skip(name, error);
                None
            }
        }
    }

    fn join(phone: Namespace, server: Namespace, version: IpVersion) -> io::Result<Self> {
        bring_up_loopback(&phone)?;
        bring_up_loopback(&server)?;
        // The command names a namespace by a process in it.
        let holder = server.within(|| Command::new("sleep").arg("600").spawn())?;
        let joined = Ethernet { phone, server, version, holder, is_tunnelled: false };
        // The child may not have been in it yet.
        pause(Duration::from_millis(20));
        let peer = joined.holder.id();
        let ip = |namespace: &Namespace, words: String| match run(namespace, &format!("ip {words}")) {
            true => Ok(()),
            false => Err(io::Error::other("it takes the command ip")),
        };
        ip(&joined.phone, format!("link add wwan0 type veth peer name lan0 netns {peer}"))?;
        for (namespace, device, host) in [(&joined.phone, "wwan0", 1), (&joined.server, "lan0", 2)] {
            ip(namespace, format!("address add 10.9.1.{host}/24 dev {device}"))?;
            ip(namespace, format!("address add fd0a::{host}/64 dev {device} nodad"))?;
            ip(namespace, format!("link set {device} up"))?;
        }
        Ok(joined)
    }

    /// Have downloads go through a tunnel over the link, vx0 (VXLAN), if the kernel has such.
    pub(crate) fn through_a_tunnel(mut self) -> Option<Self> {
        for (namespace, device, host, other) in [(&self.phone, "wwan0", 1, 2), (&self.server, "lan0", 2, 1)] {
            let ends = format!("local 10.9.1.{host} remote 10.9.1.{other} dstport 4789");
            let words = format!("link add vx0 type vxlan id 3 {ends} dev {device}");
            let made = namespace.within(|| Command::new("ip").args(words.split(' ')).status());
            if !made.is_ok_and(|status| status.success()) {
                return None;
            }
            run(namespace, &format!("ip address add 10.9.2.{host}/24 dev vx0"));
            run(namespace, &format!("ip address add fd0b::{host}/64 dev vx0 nodad"));
            run(namespace, "ip link set vx0 up");
        }
        self.is_tunnelled = true;
        Some(self)
    }

    fn address(&self) -> SocketAddr {
        let address = match (self.version, self.is_tunnelled) {
            (IpVersion::V4, false) => "10.9.1.2:443",
            (IpVersion::V4, true) => "10.9.2.2:443",
            (IpVersion::V6, false) => "[fd0a::2]:443",
            (IpVersion::V6, true) => "[fd0b::2]:443",
        };
        address.parse().unwrap()
    }

    /// Begin one that never ends.
    pub(crate) fn download(&self) -> Download {
        let address = self.address();
        // The first connection waits until the neighbour is found, and would remember how long that took.
        let refused = self.phone.within(|| TcpStream::connect(address));
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        let listener = self.server.within(|| TcpListener::bind(address)).unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            while stream.write_all(&[7; 65_536]).is_ok() {}
        });
        let mut stream = self.phone.within(|| TcpStream::connect(address)).unwrap();
        let bytes = Arc::new(AtomicU64::new(0));
        let download = Download { bytes: bytes.clone(), stream: stream.try_clone().unwrap() };
        std::thread::spawn(move || {
            let mut room = [0; 65_536];
            while let Ok(length) = stream.read(&mut room) {
                if length == 0 {
                    break;
                }
                bytes.fetch_add(length as u64, Ordering::Relaxed);
                // Slowly enough for others on this machine.
                pause(Duration::from_micros(500));
            }
        });
        download
    }
}

impl Drop for Ethernet {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

pub(crate) struct Download {
    bytes: Arc<AtomicU64>,
    stream: TcpStream,
}

impl Download {
    /// That the application has read.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}
