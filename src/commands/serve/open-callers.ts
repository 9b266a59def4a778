import { isIP } from 'node:net';
import type { LoadedConfig } from '../../config/load.ts';
import { rangesOf } from '../../http/address-guard.ts';
import {
  type Callers,
  createCallers,
  FIRST_TOKEN,
  type TrustedProxy,
} from '../../server/api/auth/callers.ts';
import { createRequestRates } from '../../server/api/auth/request-rates.ts';
import type { ApiTokenStore } from '../../store/api-tokens.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
const LOCAL_ONLY = 'there is no token: only programs of this machine are answered';

/** Attempts without valid credentials of one address in a second. */
const FAILURES_PER_SECOND = 5;

/** `note`: who is answered while there is no token: programs of this machine, or nobody where other machines reach the address. */
export async function openCallers(
  { config: { serve } }: LoadedConfig,
  apiTokens: ApiTokenStore,
  host: string,
): Promise<Callers & { readonly note: string | undefined }> {
  const isLoopback = LOOPBACK.has(host);
  const hasOthers = serve.proxy !== undefined || (await apiTokens.count()) > 0;
  const callers = createCallers({
    store: apiTokens,
    proxy: serve.proxy === undefined ? undefined : trustedProxy(serve.proxy),
    isLoopback,
    publicUrl: serve.publicUrl,
    countFailure: createRequestRates(FAILURES_PER_SECOND),
  });
  return { ...callers, note: hasOthers ? undefined : isLoopback ? LOCAL_ONLY : FIRST_TOKEN };
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
