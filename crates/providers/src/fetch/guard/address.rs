//! Which addresses are public: global unicast and nothing else.
//!
//! An IPv6 address can carry an IPv4 one inside. What is inside is judged first, so that no wrapping
//! hides a private address. The tables follow IANA's special-purpose registries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(a: u16, b: u16, c: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}

const NOT_PUBLIC_V4: [(Ipv4Net, &str); 16] = [
    (v4(0, 0, 0, 0, 8), "this network"),
    (v4(10, 0, 0, 0, 8), "private"),
    (v4(100, 64, 0, 0, 10), "shared by a carrier"),
    (v4(127, 0, 0, 0, 8), "loopback"),
    (v4(169, 254, 0, 0, 16), "link-local"),
    (v4(172, 16, 0, 0, 12), "private"),
    (v4(192, 0, 0, 0, 24), "reserved for protocols"),
    (v4(192, 0, 2, 0, 24), "documentation"),
    (v4(192, 88, 99, 0, 24), "6to4 relay"),
    (v4(192, 168, 0, 0, 16), "private"),
    (v4(198, 18, 0, 0, 15), "benchmarking"),
    (v4(198, 51, 100, 0, 24), "documentation"),
    (v4(203, 0, 113, 0, 24), "documentation"),
    (v4(224, 0, 0, 0, 4), "multicast"),
    (v4(255, 255, 255, 255, 32), "broadcast"),
    (v4(240, 0, 0, 0, 4), "reserved"),
];

/// The only part of IPv6 that is given out as global unicast.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

/// What inside that part is nevertheless not public.
const NOT_PUBLIC_V6: [(Ipv6Net, &str); 4] = [
    (v6(0x2001, 0, 0, 23), "reserved for protocols"),
    (v6(0x2001, 0xdb8, 0, 32), "documentation"),
    (v6(0x2002, 0, 0, 16), "6to4"),
    (v6(0x3fff, 0, 0, 20), "documentation"),
];

const NAT64: Ipv6Net = v6(0x64, 0xff9b, 0, 96);
const TEREDO: Ipv6Net = v6(0x2001, 0, 0, 32);

/// Where clouds tell a machine its own secrets. Some of these are otherwise public addresses.
const METADATA_V4: [Ipv4Net; 4] = [
    v4(169, 254, 0, 0, 16),
    v4(100, 100, 100, 200, 32),
    v4(168, 63, 129, 16, 32),
    v4(192, 0, 0, 192, 32),
];
const METADATA_V6: [Ipv6Net; 2] = [v6(0xfd00, 0xec2, 0, 32), v6(0xfd20, 0xce, 0, 32)];

/// Gives the address to dial if it is public, or says what it is.
pub(crate) fn public(address: IpAddr) -> Result<IpAddr, &'static str> {
    match address {
        IpAddr::V4(address) => public_v4(address).map(IpAddr::V4),
        IpAddr::V6(address) => public_v6(address),
    }
}

/// Is it, or does it hide, an address that serves a machine's metadata?
pub(crate) fn is_metadata(address: IpAddr) -> bool {
    let of_v4 = |inner: &Ipv4Addr| METADATA_V4.iter().any(|net| net.contains(inner));
    match address {
        IpAddr::V4(address) => of_v4(&address),
        IpAddr::V6(address) => {
            METADATA_V6.iter().any(|net| net.contains(&address))
                || inside(address).iter().any(of_v4)
        }
    }
}

fn public_v4(address: Ipv4Addr) -> Result<Ipv4Addr, &'static str> {
    match NOT_PUBLIC_V4.iter().find(|(net, _)| net.contains(&address)) {
        Some((_, why)) => Err(why),
        None => Ok(address),
    }
}

fn public_v6(address: Ipv6Addr) -> Result<IpAddr, &'static str> {
    for inner in inside(address) {
        public_v4(inner)?;
    }
    if let Some(inner) = address.to_ipv4_mapped() {
        return Ok(IpAddr::V4(inner));
    }
    // A network without IPv4 of its own reaches public IPv4 hosts through these.
    if NAT64.contains(&address) {
        return Ok(IpAddr::V6(address));
    }
    if !GLOBAL_V6.contains(&address) {
        return Err("not global unicast");
    }
    match NOT_PUBLIC_V6.iter().find(|(net, _)| net.contains(&address)) {
        Some((_, why)) => Err(why),
        None => Ok(IpAddr::V6(address)),
    }
}

/// The IPv4 addresses that an IPv6 address carries, by every scheme there is.
fn inside(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let s = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    let mut inner = Vec::new();
    let mapped_or_compatible = s[..5] == [0; 5] && (s[5] == 0 || s[5] == 0xffff);
    // `::ffff:0:a.b.c.d`, the translated form of RFC 2765.
    let translated = s[..4] == [0; 4] && s[4] == 0xffff && s[5] == 0;
    // 64:ff9b:1::/48 is NAT64 for a network's own use; the address sits at the end as a rule.
    let nat64 = s[0] == 0x64 && s[1] == 0xff9b;
    let isatap = (s[4] == 0 || s[4] == 0x200) && s[5] == 0x5efe;
    if mapped_or_compatible || translated || nat64 || isatap {
        inner.push(join(s[6], s[7]));
    }
    if s[0] == 0x2002 {
        inner.push(join(s[1], s[2]));
    }
    if TEREDO.contains(&address) {
        inner.push(join(s[2], s[3]));
        inner.push(join(!s[6], !s[7]));
    }
    inner
}
