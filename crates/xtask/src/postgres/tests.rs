//! Real servers: started, restarted, killed, and gone afterwards.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::*;

const GONE_LIMIT: Duration = Duration::from_secs(30);

#[test]
fn a_cluster_restarts_on_its_port_and_leaves_nothing_behind() {
    let mut cluster = start(Options::default());
    let folder = folder(&cluster);
    let url = cluster.url();
    query(
        &cluster,
        "create table kept (n int); insert into kept values (7)",
    );

    for mode in [Stop::Fast, Stop::Immediate] {
        cluster.restart(mode).unwrap();

        assert_eq!(cluster.url(), url);
        assert_eq!(query(&cluster, "select n from kept"), "7");
    }

    drop(cluster);
    assert!(!folder.exists());
    assert!(TcpStream::connect(address(&url)).is_err());
}

#[test]
fn a_killed_server_comes_back_with_what_was_committed() {
    let mut cluster = start(Options::default());
    query(
        &cluster,
        "create table kept (n int); insert into kept values (7)",
    );
    // A session in the middle of a query outlives the server and holds its memory.
    let mut busy = connect(&cluster);
    send(
        &mut busy,
        b"Q",
        b"select count(*) from generate_series(1, 3000000)\0",
    );

    cluster.kill_server().unwrap();
    assert!(TcpStream::connect(address(&cluster.url())).is_err());
    cluster.start_again().unwrap();

    assert_eq!(query(&cluster, "select n from kept"), "7");
}

#[test]
fn a_stopped_server_is_told_apart_from_a_running_one() {
    let mut cluster = start(Options::default());

    assert!(cluster.start_again().is_err());
    cluster.stop(Stop::Fast).unwrap();
    assert!(cluster.stop(Stop::Fast).is_err());
    assert!(cluster.kill_server().is_err());
    cluster.start_again().unwrap();

    assert_eq!(query(&cluster, "select 1"), "1");
}

#[test]
fn a_taken_port_is_told_apart_from_a_broken_server() {
    let mut cluster = start(Options::default());
    cluster.stop(Stop::Fast).unwrap();
    let other = TcpListener::bind(address(&cluster.url())).unwrap();

    assert!(matches!(
        cluster.place.launch(cluster.port).unwrap(),
        Launch::PortTaken
    ));
    drop(other);
    cluster.start_again().unwrap();

    assert_eq!(query(&cluster, "select 1"), "1");
}

#[test]
fn extra_settings_reach_the_server() {
    let extra = [("max_connections", "33"), ("application_name", "it's ours")];
    let extra_settings = extra
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();

    let cluster = start(Options { extra_settings });

    assert_eq!(query(&cluster, "show max_connections"), "33");
    assert_eq!(query(&cluster, "show application_name"), "it's ours");
    assert_eq!(query(&cluster, "show fsync"), "on");
    assert_eq!(query(&cluster, "show listen_addresses"), "127.0.0.1");
}

#[test]
fn a_setting_the_server_refuses_is_shown_from_its_log() {
    let extra_settings = vec![("no_such_setting".to_owned(), "1".to_owned())];

    let error = Cluster::with(Options { extra_settings }).err().unwrap();

    assert!(
        format!("{error:#}").contains("no_such_setting"),
        "{error:#}"
    );
}

#[test]
fn a_panic_of_the_owner_leaves_nothing_behind() {
    let cluster = start(Options::default());
    let folder = folder(&cluster);

    let owner = thread::spawn(move || {
        let _cluster = cluster;
        panic!("expected by the test");
    });

    assert!(owner.join().is_err());
    assert!(!folder.exists());
}

#[test]
fn the_error_without_a_server_says_what_to_install() {
    assert!(install::WHAT_TO_INSTALL.contains("apt-get install postgresql"));
    assert!(install::WHAT_TO_INSTALL.contains("brew install postgresql"));
}

/// Fails with the sentence that says what to install.
fn start(options: Options) -> Cluster {
    Cluster::with(options).unwrap_or_else(|error| panic!("{error:#}"))
}

fn folder(cluster: &Cluster) -> PathBuf {
    Path::to_owned(cluster.place.folder.path())
}

fn address(url: &str) -> String {
    let (_, rest) = url.split_once('@').unwrap();
    rest.split('/').next().unwrap().to_owned()
}

/// The first value of the last row, by PostgreSQL's own protocol: the crate needs no client for more.
fn query(cluster: &Cluster, sql: &str) -> String {
    let mut session = connect(cluster);
    send(&mut session, b"Q", format!("{sql}\0").as_bytes());
    let mut messages = messages_until_ready(&mut session).into_iter();
    let row = messages.rfind(|(kind, _)| *kind == b'D');
    // A row is a count of columns (2 bytes), then for each its length (4 bytes) and its text.
    row.map(|(_, row)| String::from_utf8_lossy(&row[6..]).into_owned())
        .unwrap_or_default()
}

fn connect(cluster: &Cluster) -> TcpStream {
    let mut session = TcpStream::connect(address(&cluster.url())).unwrap();
    session.set_read_timeout(Some(GONE_LIMIT)).unwrap();
    let mut start_up = 196_608_u32.to_be_bytes().to_vec();
    start_up.extend_from_slice(b"user\0fathom\0database\0fathom\0\0");
    send(&mut session, b"", &start_up);
    messages_until_ready(&mut session);
    session
}

fn send(session: &mut TcpStream, kind: &[u8], body: &[u8]) {
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    session.write_all(&[kind, &length, body].concat()).unwrap();
}

fn messages_until_ready(session: &mut TcpStream) -> Vec<(u8, Vec<u8>)> {
    let mut messages = Vec::new();
    loop {
        let mut head = [0; 5];
        session.read_exact(&mut head).unwrap();
        let [kind, length @ ..] = head;
        let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
        session.read_exact(&mut body).unwrap();
        assert_ne!(kind, b'E', "{}", String::from_utf8_lossy(&body));
        if kind == b'Z' {
            return messages;
        }
        messages.push((kind, body));
    }
}
