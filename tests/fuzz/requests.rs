//! Any bytes are what a client sends: the parser and the gate end, and nothing that is let in leaves the site.

#![no_main]

use std::convert::Infallible;

use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use libfuzzer_sys::fuzz_target;
use quire_http::gate;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn answer(request: Request<Incoming>) -> Result<Response<Empty<Bytes>>, Infallible> {
    let status = match gate::check(&request) {
        Ok(target) => {
            assert!(target.path.starts_with('/'));
            assert!(
                !target
                    .path
                    .split('/')
                    .any(|segment| matches!(segment, "." | ".."))
            );
            assert!(!target.host.is_empty() && target.host.len() <= target.authority.len());
            200
        }
        Err(_) => 400,
    };
    let response = Response::builder().status(status).body(Empty::new());
    Ok(response.expect("a reply"))
}

fuzz_target!(|bytes: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (client, server) = tokio::io::duplex(1 << 16);
        let (mut reader, mut writer) = tokio::io::split(client);
        let serve = hyper::server::conn::http1::Builder::new()
            .max_headers(gate::MAX_HEADERS)
            .max_buf_size(32 * 1024)
            .serve_connection(TokioIo::new(server), service_fn(answer));
        let talk = async {
            // The server may have hung up.
            let _ = writer.write_all(bytes).await;
            let _ = writer.shutdown().await;
            let mut replies = Vec::new();
            let _ = reader.read_to_end(&mut replies).await;
        };
        let _ = tokio::join!(serve, talk);
    });
});
