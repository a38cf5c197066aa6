//! What holds for every address and every text, not only for those in the lists.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use crate::fetch::{AllowList, FetchTarget, Fetcher, TargetHost, guard::address::public};

fn public_v4(address: Ipv4Addr) -> bool {
    public(IpAddr::V4(address)).is_ok()
}

fn v6(segments: [u16; 8]) -> IpAddr {
    IpAddr::V6(Ipv6Addr::from(segments))
}

/// Half of the addresses come from near the ranges that matter.
fn any_v4() -> impl Strategy<Value = Ipv4Addr> {
    let first = prop_oneof![
        Just(10_u8),
        Just(100),
        Just(127),
        Just(169),
        Just(172),
        Just(192)
    ];
    let near = (first, any::<[u8; 3]>()).prop_map(|(a, [b, c, d])| Ipv4Addr::new(a, b, c, d));
    prop_oneof![any::<u32>().prop_map(Ipv4Addr::from), near]
}

proptest! {
    #[test]
    fn a_wrapped_address_is_never_more_public_than_what_it_wraps(inner in any_v4(), other in any_v4()) {
        let halves = |address: Ipv4Addr| {
            let bits = u32::from(address);
            ((bits >> 16) as u16, bits as u16)
        };
        let (high, low) = halves(inner);
        let mapped = public(v6([0, 0, 0, 0, 0, 0xffff, high, low]));
        prop_assert_eq!(mapped.ok(), public_v4(inner).then_some(IpAddr::V4(inner)));
        let nat64 = public(v6([0x64, 0xff9b, 0, 0, 0, 0, high, low]));
        prop_assert_eq!(nat64.is_ok(), public_v4(inner));
        // Tunnels and forms that are no longer used are refused whatever they hold.
        let (server_high, server_low) = halves(other);
        for closed in [
            v6([0, 0, 0, 0, 0, 0, high, low]),
            v6([0x64, 0xff9b, 1, 0, 0, 0, high, low]),
            v6([0x2002, high, low, 0, 0, 0, 0, 1]),
            v6([0x2001, 0, server_high, server_low, 0, 0, !high, !low]),
        ] {
            prop_assert!(public(closed).is_err(), "{}", closed);
        }
    }

    #[test]
    fn std_and_we_agree_on_what_std_knows(address in any_v4()) {
        let special = address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_multicast()
            || address.is_broadcast()
            || address.is_documentation()
            || address.is_unspecified();
        prop_assert!(!special || !public_v4(address));
    }

    #[test]
    fn only_global_unicast_is_public(segments in any::<[u16; 8]>()) {
        if let Ok(IpAddr::V6(address)) = public(v6(segments)) {
            let first = address.segments()[0];
            prop_assert!(first >> 13 == 1 || first == 0x64, "{}", address);
        }
    }

    #[test]
    fn a_target_means_the_same_when_it_is_read_again(raw in ".{0,80}", host in "[a-zA-Z0-9.%@:\\[\\]x-]{0,30}") {
        let allow = AllowList::default();
        for text in [raw, format!("http://{host}/")] {
            let Ok(target) = FetchTarget::parse(&text, &allow) else {
                continue;
            };
            let again = FetchTarget::parse(target.url().as_str(), &allow);
            prop_assert_eq!(again, Ok(target.clone()));
            if let TargetHost::Address(address) = target.host() {
                prop_assert!(public(*address).is_ok());
            }
        }
    }
}

#[test]
fn a_fetch_can_be_handed_to_any_thread() {
    fn sent<T: Send>(_: impl FnOnce(&'static Fetcher) -> T) {}
    sent(|fetcher| fetcher.get("https://example.com/"));
}
