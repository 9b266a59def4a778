import { isIP } from 'node:net';
import { ConfigError } from '../../config/errors.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { rangesOf } from '../../http/address-guard.ts';
import { type Callers, createCallers, type TrustedProxy } from '../../server/api/auth/callers.ts';
import { createRequestRates } from '../../server/api/auth/request-rates.ts';
import type { SharedStore } from '../shared-store.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
/** Attempts without valid credentials of one address in a second. */
const FAILURES_PER_SECOND = 5;

/** Throws `ConfigError` for an address that other machines reach while there is neither a token nor a proxy. */
export async function openCallers(
  { config: { serve } }: LoadedConfig,
  { store: { apiTokens } }: SharedStore,
  host: string,
): Promise<Callers & { readonly isOpen: boolean }> {
  const isLoopback = LOOPBACK.has(host);
  const isOpen = serve.proxy === undefined && (await apiTokens.count()) === 0;
  if (isOpen && !isLoopback) {
    throw new ConfigError(
      'config-invalid',
      `it would listen on ${host}, and there is no token: everybody who reaches this address could read and change ` +
        'everything. Create one with `lockhound token create`, or use 127.0.0.1',
    );
  }
  const callers = createCallers({
    store: apiTokens,
    proxy: serve.proxy === undefined ? undefined : trustedProxy(serve.proxy),
    isLoopback,
    publicUrl: serve.publicUrl,
    countFailure: createRequestRates(FAILURES_PER_SECOND),
  });
  return { ...callers, isOpen };
}

function trustedProxy({
  addresses,
  header,
  role,
  targets,
}: Exclude<LoadedConfig['config']['serve']['proxy'], undefined>): TrustedProxy {
  const ranges = rangesOf(addresses);
  return {
    header: header.toLowerCase(),
    role,
    targets,
    isProxy(address) {
      const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
      return isIP(plain) !== 0 && ranges.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
    },
  };
}
