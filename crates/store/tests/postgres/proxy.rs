//! A way to the server that loses things when told to: the next request, the next reply, or all.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Honest,
    /// The next request is cut off before the server gets it.
    LoseRequest,
    /// The next request that holds these bytes is answered, and the answer is cut off.
    LoseReply(&'static [u8]),
    /// Nobody gets through.
    Closed,
}

pub struct Proxy {
    pub port: u16,
    mood: Arc<Mutex<Mood>>,
    /// How many connections were turned away.
    refused: watch::Receiver<usize>,
}

impl Proxy {
    pub async fn to(server: (String, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mood = Arc::new(Mutex::new(Mood::Honest));
        let (refused, seen) = watch::channel(0);
        let shared = Arc::clone(&mood);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *shared.lock().unwrap() == Mood::Closed {
                    refused.send_modify(|count| *count += 1);
                    continue;
                }
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(carry(client, server, Arc::clone(&shared)));
            }
        });
        Self {
            port,
            mood,
            refused: seen,
        }
    }

    pub fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Whether what it was told to lose is lost.
    pub fn has_lost(&self) -> bool {
        *self.mood.lock().unwrap() == Mood::Honest
    }

    pub async fn has_refused(&mut self, count: usize) {
        self.refused.wait_for(|seen| *seen >= count).await.unwrap();
    }
}

/// Carries bytes both ways until one side ends or something is to be lost.
async fn carry(mut client: TcpStream, mut server: TcpStream, mood: Arc<Mutex<Mood>>) {
    let (mut asked, mut told) = (vec![0; 65536], vec![0; 65536]);
    let mut losing = false;
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(size @ 1..) = read else { return };
                let now = *mood.lock().unwrap();
                match now {
                    Mood::Honest => {}
                    Mood::LoseReply(holding) => losing = contains(&asked[..size], holding),
                    Mood::LoseRequest | Mood::Closed => return forgive(&mood),
                }
                if server.write_all(&asked[..size]).await.is_err() { return }
            }
            read = server.read(&mut told) => {
                let Ok(size @ 1..) = read else { return };
                if losing { return forgive(&mood) }
                if client.write_all(&told[..size]).await.is_err() { return }
            }
        }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}

/// One loss is enough; a closed way stays closed.
fn forgive(mood: &Mutex<Mood>) {
    let mut mood = mood.lock().unwrap();
    if *mood != Mood::Closed {
        *mood = Mood::Honest;
    }
}
