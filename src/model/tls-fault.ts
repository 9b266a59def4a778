const UNKNOWN_AUTHORITY =
  'no authority that is trusted here signed its certificate; NODE_EXTRA_CA_CERTS names the file of a private one';

/** By code of Node and OpenSSL. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['CERT_UNTRUSTED', UNKNOWN_AUTHORITY],
  ['CERT_HAS_EXPIRED', 'its certificate has expired, or the clock of this machine is wrong'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet, or the clock of this machine is wrong'],
  ['CERT_REVOKED', 'its certificate is revoked'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not answer with TLS'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'it does not answer with TLS'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'it accepts no version of TLS from 1.2 on'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'it accepts no version of TLS from 1.2 on'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'it requires a certificate of the client'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'it agrees to no TLS connection; it may require a certificate'],
]);

const OTHERS = /CERT|EPROTO|^ERR_SSL_/;

/** Why there is no TLS connection, as part of a sentence about the server; `undefined` for any other error of TLS. */
export function tlsFault(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = String(error.code);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return otherName(error);
  const known = FAULTS.get(code);
  if (known !== undefined) return known;
  return OTHERS.test(code) ? `there is no TLS connection to it (${code})` : undefined;
}

/** The error of Node has the certificate. */
function otherName(error: Error & { readonly host?: unknown; readonly cert?: unknown }): string {
  const { host, cert } = error;
  const names =
    typeof cert === 'object' && cert !== null && 'subjectaltname' in cert ? cert.subjectaltname : undefined;
  const whose = typeof names === 'string' && names !== '' ? `for ${names.slice(0, 200)}` : 'for another name';
  return `its certificate is ${whose}, and not for ${String(host)}`;
}
