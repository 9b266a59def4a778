/** Variables that programs need which a worker starts: where they are, how they reach the network, whom they trust. */
const INHERITED = [
  ...['PATH', 'HOME', 'TMPDIR', 'SSH_AUTH_SOCK', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/** The part of the environment that a started program gets. Secrets of Lockhound are in other variables. */
export function inheritedEnvironment(): Readonly<Record<string, string>> {
  const environment = process.env;
  return Object.fromEntries(
    INHERITED.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
}
