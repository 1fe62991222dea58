//! `bunraku classifier`: the node classifier as a server.

use clap::ArgAction;

use crate::arguments::FileArguments;
use crate::{CommandError, Outcome, Session};

/// Serve the node classifier
///
/// Serves the node classifier's HTTP interface (/classifier-api/v1) until it is interrupted. It needs Ruby
/// with the gems bunraku and puma. Clients authenticate with a token or a certificate.
#[derive(clap::Args)]
#[command(override_usage = "bunraku classifier --db FILE --token-file FILE [OPTIONS]")]
pub(crate) struct Arguments {
    /// SQLite database of the groups [default: in memory]
    #[arg(long, value_name = "FILE")]
    db: Option<String>,
    /// Create the database when it does not exist
    #[arg(long)]
    create: bool,
    /// Allow only the classes of these environments
    #[arg(long, value_name = "PATH")]
    environmentpath: Option<String>,
    /// Allow configuration data in groups (default)
    #[arg(long, overrides_with = "no_allow_config_data")]
    allow_config_data: bool,
    /// Refuse configuration data in groups
    #[arg(long, overrides_with = "allow_config_data")]
    no_allow_config_data: bool,
    /// Record when nodes are classified
    #[arg(long)]
    check_ins: bool,
    /// Port
    #[arg(long, value_name = "N", default_value_t = 4433)]
    port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// File with a token that allows reading and writing
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// File with a token that allows reading
    #[arg(long, value_name = "FILE")]
    read_token_file: Option<String>,
    /// Let anyone read
    #[arg(long)]
    open_to_read: bool,
    /// Certificate of the server
    #[arg(long, value_name = "FILE")]
    ssl_cert: Option<String>,
    /// Private key of the server
    #[arg(long, value_name = "FILE")]
    ssl_key: Option<String>,
    /// Certificates of the authorities that sign client certificates
    #[arg(long, value_name = "FILE")]
    ssl_ca: Option<String>,
    /// Name in a client certificate that allows reading and writing (repeatable)
    #[arg(long = "certname", value_name = "NAME", action = ArgAction::Append)]
    certnames: Vec<String>,
    /// Name in a client certificate that allows reading (repeatable)
    #[arg(long = "read-certname", value_name = "NAME", action = ArgAction::Append)]
    read_certnames: Vec<String>,
    #[command(flatten)]
    files: FileArguments,
}

/// The options for serving a classifier.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The database; groups are in memory without it.
    pub database: Option<String>,
    /// Whether the database is made when it is not there.
    pub create: bool,
    /// Directories of the environments whose classes groups may use; any without it.
    pub environmentpath: Option<String>,
    /// Whether groups may have configuration data.
    pub allow_config_data: bool,
    /// Whether it is noted when nodes are classified.
    pub stores_check_ins: bool,
    /// The address to listen on.
    pub host: String,
    /// The port to listen on.
    pub port: u16,
    /// Grants reading and writing.
    pub token: Option<String>,
    /// Grants reading.
    pub read_token: Option<String>,
    /// Whether everybody can read.
    pub open_to_read: bool,
    /// The file with the certificate of the server; plain HTTP without it.
    pub certificate: Option<String>,
    /// The file with its private key.
    pub key: Option<String>,
    /// The file with the certificates of the authorities of clients' certificates.
    pub authority: Option<String>,
    /// Whose certificate may read and write.
    pub certnames: Vec<String>,
    /// Whose certificate may read.
    pub read_certnames: Vec<String>,
}

impl Arguments {
    /// The options, if they are valid and somebody can read.
    fn options(&self, session: &Session<'_>) -> Result<ServerOptions, CommandError> {
        let token = |path: &Option<String>| path.as_deref().map(|path| self.token(path, session)).transpose();
        let options = ServerOptions {
            database: self.db.clone(),
            create: self.create,
            environmentpath: self.environmentpath.clone(),
            allow_config_data: !self.no_allow_config_data,
            stores_check_ins: self.check_ins,
            host: self.host.clone(),
            port: self.port,
            token: token(&self.token_file)?,
            read_token: token(&self.read_token_file)?,
            open_to_read: self.open_to_read,
            certificate: self.ssl_cert.clone(),
            key: self.ssl_key.clone(),
            authority: self.ssl_ca.clone(),
            certnames: self.certnames.clone(),
            read_certnames: self.read_certnames.clone(),
        };
        options.check().map_or(Ok(options), |wrong| Err(CommandError::misuse(wrong)))
    }

    fn token(&self, path: &str, session: &Session<'_>) -> Result<String, CommandError> {
        let text = self.files.text(path, session)?;
        match text.trim() {
            "" => Err(CommandError::misuse(format!("{path}: there is no token in it"))),
            token => Ok(token.to_owned()),
        }
    }
}

impl ServerOptions {
    /// The reason why they are invalid.
    fn check(&self) -> Option<&'static str> {
        let has_names = !self.certnames.is_empty() || !self.read_certnames.is_empty();
        let has_tokens = self.token.is_some() || self.read_token.is_some();
        if self.certificate.is_some() && self.key.is_none() {
            Some("--ssl-cert needs --ssl-key")
        } else if self.authority.is_some() && self.certificate.is_none() {
            Some("--ssl-ca needs --ssl-cert")
        } else if has_names && self.authority.is_none() {
            Some("--certname and --read-certname need --ssl-ca")
        } else if self.authority.is_some() && !has_names {
            Some("--ssl-ca needs --certname or --read-certname: who it signs is not who may ask")
        } else if !has_tokens && !self.open_to_read && !has_names {
            Some(
                "nobody may read: give --token-file, --read-token-file, --certname, --read-certname or \
                 --open-to-read",
            )
        } else {
            None
        }
    }
}

impl Session<'_> {
    pub(crate) fn classifier(&self, given: &Arguments) -> Outcome {
        let options = given.options(self)?;
        self.console.flush()?;
        self.embedder.serve(&options).map_err(CommandError::of_arguments)?;
        Ok(0)
    }
}
