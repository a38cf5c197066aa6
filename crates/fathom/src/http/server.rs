//! Connections: taken up as long as there is room, closed when a client does nothing, ended in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::router::router;
use super::service::Service;
use crate::exit::{Problem, Result};

/// How long requests under way may take after the service was told to end.
const LAST_REQUESTS: Duration = Duration::from_secs(10);

/// How long is waited after a connection could not be taken up, as when all file handles are in use.
const AFTER_FAULT: Duration = Duration::from_millis(100);

/// An address that is listened on.
pub struct Listening {
    listener: TcpListener,
    /// The address, with the port that was chosen.
    pub address: SocketAddr,
}

/// Listens on an address; port 0 lets the system choose.
pub async fn listen(address: SocketAddr) -> Result<Listening> {
    let bound = TcpListener::bind(address).await;
    let listener = bound.map_err(|error| {
        Problem::failed(format!("cannot listen on {address}: {error}"))
            .advise("Choose another address: --listen 127.0.0.1:PORT")
    })?;
    let address = listener.local_addr().map_err(Problem::failed)?;
    Ok(Listening { listener, address })
}

impl Listening {
    /// Serves until the service is told to stop, and then the requests under way.
    pub async fn serve(self, service: Arc<Service>) {
        let (limits, stop) = (service.limits.clone(), service.stop.clone());
        let timeout = limits.client_timeout();
        let router = router(service);
        let places = Arc::new(Semaphore::new(limits.max_connections));
        let graceful = GracefulShutdown::new();
        while let Some((stream, place)) = next(&self.listener, &places, &stop).await {
            reap_when_dead(&stream, timeout);
            let service = TowerToHyperService::new(router.clone());
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(timeout)
                .serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // A client that breaks off is no fault of ours.
                let _ = connection.await;
                drop(place);
            });
        }
        drop(self.listener);
        // What takes longer is cut off; its runs are safe.
        let _ = tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await;
    }
}

/// The next connection, once there is a place for it; nothing when the service ends.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    stop: &CancellationToken,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    loop {
        let next = async {
            let place = Arc::clone(places).acquire_owned().await.ok()?;
            Some((listener.accept().await, place))
        };
        let (accepted, place) = tokio::select! {
            () = stop.cancelled() => return None,
            next = next => next?,
        };
        match accepted {
            Ok((stream, _)) => return Some((stream, place)),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken up");
                tokio::time::sleep(AFTER_FAULT).await;
            }
        }
    }
}

/// Lets the system close a connection whose client takes nothing for this long, gone or merely not reading: a stream
/// of events gives a sign of life more often than that.
fn reap_when_dead(stream: &TcpStream, timeout: Duration) {
    let socket = SockRef::from(stream);
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(timeout));
    #[cfg(not(target_os = "linux"))]
    let _ = (socket, timeout);
}
