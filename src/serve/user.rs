//! Users of this machine as the log of decisions names them.
//!
//! Must not know: what they decide.

use std::os::unix::net::UnixStream;

use anyhow::Result;

use crate::store::decision::{Via, Who};

/// The user whom this process belongs to.
pub fn own(via: Via) -> Who {
    Who { name: name_of(rustix::process::getuid().as_raw()), via }
}

/// Whoever has connected to a socket, as the system tells it. Called in the runtime's context or with
/// its handle entered.
pub(super) fn peer(stream: &UnixStream) -> Result<Who> {
    // The standard library has no stable way to ask; what is made here for it shares the socket.
    let asked = stream.try_clone()?;
    asked.set_nonblocking(true)?;
    let peer = tokio::net::UnixStream::from_std(asked)?.peer_cred();
    stream.set_nonblocking(false)?;
    Ok(Who { name: name_of(peer?.uid()), via: Via::User })
}

/// The name of a user; one that the system's list does not have is told by number.
fn name_of(uid: u32) -> String {
    let list = std::fs::read("/etc/passwd").unwrap_or_default();
    named(&String::from_utf8_lossy(&list), uid).unwrap_or_else(|| format!("uid {uid}"))
}

/// Finds a user in a list of the form of passwd(5).
fn named(list: &str, uid: u32) -> Option<String> {
    list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        let number: u32 = fields.nth(1)?.parse().ok()?;
        (number == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_number() {
        let list = "root:x:0:0:root:/root:/bin/sh\n# a remark\n:x:7:\nann:x:1000:1000::/:\nb:x:y:";
        for (uid, expect) in [(0, Some("root")), (1000, Some("ann")), (7, None), (5, None)] {
            assert_eq!(named(list, uid).as_deref(), expect, "{uid}");
        }
    }

    #[test]
    fn whoever_connects_is_known() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let _in = runtime.enter();
        let (ours, _theirs) = UnixStream::pair().unwrap();
        assert_eq!(peer(&ours).unwrap(), own(Via::User));
    }
}
