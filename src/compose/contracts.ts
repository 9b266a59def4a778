import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import { BUNDLED_APIS } from '../discovery/bundled.ts';
import { compareContract, type Publication } from '../discovery/contract.ts';
import { openDirectory } from '../discovery/directory/directory-list.ts';
import { createDocumentSource } from '../discovery/directory/document-source.ts';
import { publicAddressesOnly } from '../http/address-guard.ts';
import type { HttpClient } from '../http/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import { checkContract, contractCheckDue } from '../jobs/check-contract.ts';
import type { ContractPort } from '../jobs/ports.ts';
import { type ContractComparison, countDifferences } from '../model/api/contract.ts';
import type { Cache } from '../model/ports/shared-state.ts';
import { platformUrl } from '../notify/platform/sites.ts';
import type { Schedule } from '../workers/schedules.ts';

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** The configured contract check; `undefined` when no directory or document is configured. */
export async function openContracts({ config }: LoadedConfig, cache: Cache, log: Logger) {
  const { interval, directory, documents } = config.contract;
  const urls = [directory, ...Object.values(documents)].filter((url) => url !== undefined);
  if (urls.length === 0) return undefined;
  const http = createHttpClient({
    service: 'contract',
    totalTimeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_DOCUMENT_BYTES,
    // Configured hosts may be called. Links in a directory may lead to the public internet only.
    guard: publicAddressesOnly(urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))),
  });
  const publications = await publicationsOf(config.contract, http);
  const roots = rootsOf(config);
  const source = createDocumentSource({ http, cache });
  const schedule: Schedule = {
    name: checkContract.name,
    everyMs: interval,
    start: (due) => [contractCheckDue(due)],
  };
  const port: ContractPort = {
    apis: () => [...publications.keys()],
    async compare(name, signal) {
      const publication = publications.get(name);
      const api = BUNDLED_APIS.get(name);
      if (publication === undefined || api === undefined) return undefined;
      const comparison = await compareContract({ api, publication, source, signal, rootUrl: roots[name] });
      if (comparison !== undefined) report(comparison, log);
      return comparison;
    },
  };
  return { port, schedule, close: () => http.close() };
}

/** A configured document URL takes precedence over the directory. */
async function publicationsOf(
  { directory, documents }: LoadedConfig['config']['contract'],
  http: HttpClient,
): Promise<ReadonlyMap<string, Publication>> {
  const publications = new Map<string, Publication>();
  const opened = directory === undefined ? undefined : await openDirectory({ http, url: directory });
  for (const name of ['insights', 'webhooks'] as const) {
    const url = documents[name];
    if (url !== undefined) publications.set(name, { url });
    else if (opened !== undefined) publications.set(name, { directory: opened });
  }
  return publications;
}

/** Root URLs of the APIs by name. */
function rootsOf({ insights, notify }: LoadedConfig['config']): Readonly<Record<string, string | undefined>> {
  return { insights: insights.url, webhooks: notify?.platform && platformUrl(notify.platform) };
}

function report({ api, version, revision, source, differences }: ContractComparison, log: Logger): void {
  const counts = countDifferences(differences);
  const level = counts.breaking + counts.deprecating > 0 ? 'warn' : 'info';
  log[level](
    { api, version, revision, source, ...counts },
    'published document compared with the bundled one',
  );
  for (const { class: severity, kind, path, message } of differences) {
    if (severity !== 'compatible') log.warn({ api, class: severity, kind, path }, message);
  }
}
