import { createHash } from 'node:crypto';
import { policyOf } from '../config/effective-policy.ts';
import type { LoadedConfig } from '../config/load.ts';
import { packageVersion } from '../files/package-file.ts';
import type { Ports, ReusePort } from '../jobs/ports.ts';
import { DEFAULT_LIMITS, type LockfileLimits } from '../lockfiles/read-as.ts';
import type { Routing } from '../model/alert/routing.ts';
import { NO_EXPLOIT_DATA } from '../model/exploits/exploit-data.ts';
import type { KnownFixes } from '../model/ports/shared-state.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { Store } from './store.ts';

/** The parts of which ports are made, beside the stores of a shard. */
type PortParts = Pick<Ports, 'insights' | 'lockfiles'> & {
  readonly knownFixes: KnownFixes;
  readonly routing: Routing | undefined;
} & Partial<Pick<Ports, 'contracts' | 'exploits' | 'notifier' | 'schedules' | 'sources'>>;

/** The ports through which the jobs of a shard read. A run may lack parts: no job needs them then. */
export function createPorts(
  loaded: LoadedConfig,
  store: Store,
  { insights, lockfiles, knownFixes, routing = NO_ROUTING, ...parts }: PortParts,
): Ports {
  const { config } = loaded;
  const { blobs, targets, deliveries, digests, scans, facts, fleet, outcomes, suppressions } = store;
  const configured = suppressionsIn(loaded);
  return {
    ...{ blobs, targets, deliveries, digests, scans, facts, fleet, insights, lockfiles },
    // A spent outcome has no result.
    outcomes: { read: async (kind, job, key) => (await outcomes.readResult(kind, job, key)) ?? undefined },
    notifier: parts.notifier ?? absent('routes'),
    contracts: parts.contracts ?? { apis: () => [], compare: async () => undefined },
    schedules: parts.schedules ?? absent('schedules'),
    sources: parts.sources ?? absent('sources'),
    exploits: parts.exploits ?? { current: async () => NO_EXPLOIT_DATA, refresh: async () => undefined },
    routing: { routing: () => routing },
    policy: {
      policy: () => policyOf(config),
      async suppressions() {
        const added = await suppressions.effective();
        return [...(await configured()), ...added.map(({ suppression }) => suppression)];
      },
    },
    inspections: { ...store.inspections, mode: isInspecting(config) ? 'apart' : 'never' },
    knownFixes: { ...knownFixes, mode: 'apart' },
    reuse: reuseOf(loaded, routing),
    limits: { lockfile: lockfileLimits(loaded) },
  };
}

/** A port that rejects every call. It is no promise: `then` is absent. */
function absent<Port extends object>(parts: string): Port {
  const reject = () => Promise.reject(new RangeError(`this run has no ${parts}`));
  return new Proxy({} as Port, { get: (_port, name) => (name === 'then' ? undefined : reject) });
}

/** The limits on lockfiles of the configuration. */
export function lockfileLimits({ config: { lockfiles } }: LoadedConfig): LockfileLimits {
  const { maxBytes, maxPackages } = lockfiles;
  return { ...DEFAULT_LIMITS, maxBytes, maxPackages };
}

/** Facts in the cache may be as old as their time to live: half of it keeps a repeated result from being twice as old. */
export function reuseOf({ config, vex }: LoadedConfig, routing: Routing = NO_ROUTING): ReusePort {
  const { insights, policy, suppressions, lockfiles } = config;
  const settings = JSON.stringify([
    packageVersion(),
    insights,
    policy,
    suppressions,
    lockfiles,
    routing,
    vex,
  ]);
  return {
    settings: createHash('sha256').update(settings).digest('hex'),
    recordMs: insights.recordTtl / 2,
    missMs: Math.min(insights.recordTtl, insights.missTtl) / 2,
  };
}

/** The suppressions of the configuration and of its VEX documents. Loaded on use: most configurations have none. */
export function suppressionsIn({
  config: { suppressions },
  vex = [],
}: LoadedConfig): Ports['policy']['suppressions'] {
  if (suppressions.length === 0) return async () => vex;
  let known: Promise<readonly Suppression[]> | undefined;
  return () => {
    known ??= import('../config/sections/suppressions.ts').then((found) => [
      ...found.configuredSuppressions(suppressions),
      ...vex,
    ]);
    return known;
  };
}

/** For workers without receivers. */
export const NO_ROUTING: Routing = { take: 'all', firstScan: 'all', rules: [] };

/** Whether new versions are inspected: imported advisories say nothing about releases. */
export function isInspecting({
  watch,
  insights,
}: Pick<LoadedConfig['config'], 'watch' | 'insights'>): boolean {
  return watch.inspect && insights.sources.includes('api');
}
