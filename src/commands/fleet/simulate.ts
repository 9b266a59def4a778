import { type FleetStore, openFleetStore } from '../../compose/fleet-store.ts';
import { routingOf } from '../../compose/routing.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { IdentifiedPackage } from '../../fleet/identity.ts';
import type { Routing } from '../../model/alert/routing.ts';
import type { ReachedTarget, SimulatedAdvisory } from '../../model/fleet/simulated-advisory.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { RatedSeverity } from '../../model/scan/severity.ts';
import { findHolders, type Holder } from '../../operations/packages/holders.ts';
import { requireTargets } from '../../operations/packages/places.ts';
import type { PackageQuery } from '../../operations/packages/query.ts';
import { policyFor } from '../../policy/policy-for.ts';
import { routeChanges } from '../../policy/routing/route-changes.ts';
import { vulnerability } from '../../policy/rules/vulnerability.ts';

/** Simulations of what would happen. They write and send nothing. */
export type SimulationAdmin = Awaited<ReturnType<typeof openSimulation>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openSimulation(loaded: LoadedConfig) {
  const fleet = await openFleetStore(loaded);
  return {
    unreadable: fleet.unreadable,
    /**
     * The targets and routes that a new advisory about these versions would reach. `severity`: `undefined` for an advisory without
     * a score. Throws `FleetError`.
     */
    advisory: (query: PackageQuery, severity?: RatedSeverity) => simulate(fleet, loaded, query, severity),
    close: fleet.close,
  };
}

async function simulate(
  fleet: FleetStore,
  { config }: LoadedConfig,
  query: PackageQuery,
  severity: RatedSeverity | undefined,
): Promise<SimulatedAdvisory> {
  const { holders, notCompared } = await findHolders(fleet, query);
  if (holders.length === 0) await requireTargets(fleet);
  const { notify } = config;
  const { policy } = fleet;
  const routing: Routing =
    notify === undefined ? { take: 'all', firstScan: 'all', rules: [] } : routingOf(notify);
  const level = policy.rules[vulnerability.name]?.level ?? vulnerability.level;
  const rated: Pick<Finding, 'severity' | 'countsAs'> =
    severity === undefined ? { severity: 'unrated', countsAs: policy.unknownSeverity } : { severity };
  const targets: ReachedTarget[] = [];
  for (const holder of holders) {
    const own = policyFor(policy, holder).rules[vulnerability.name]?.level ?? vulnerability.level;
    const found = await reached(holder, { routing, level: own, rated });
    targets.push(own === level ? found : { ...found, level: own });
  }
  return {
    severity: rated.severity,
    ...(rated.countsAs === undefined ? {} : { countsAs: rated.countsAs }),
    level,
    routes: routing.rules.map(({ name, mode }) => ({
      route: name,
      mode,
      targets: targets.filter(({ routes }) => routes.includes(name)).length,
    })),
    targets,
    notCompared,
  };
}

interface Circumstances {
  readonly routing: Routing;
  readonly level: SimulatedAdvisory['level'];
  readonly rated: Pick<Finding, 'severity' | 'countsAs'>;
}

async function reached(
  { target, labels, lockfiles, selected: { byId } }: Holder,
  { routing, level, rated }: Circumstances,
): Promise<ReachedTarget> {
  const lookedUp = new Set(lockfiles.flatMap((file) => file.lookedUp));
  const excluded = new Set(lockfiles.flatMap((file) => file.excluded).filter((id) => !lookedUp.has(id)));
  const held = [...lookedUp].flatMap((id) => byId.get(id) ?? []);
  const changes = level === 'off' ? [] : held.map((one) => openedChange(one, level, rated));
  const routed = await routeChanges(routing, { id: target, labels }, changes);
  return {
    target,
    labels,
    packages: held.map(({ purl }) => purl).sort(),
    excluded: [...excluded].flatMap((id) => byId.get(id)?.purl ?? []).sort(),
    routes: routed.map(({ rule }) => rule.name),
  };
}

/** The change that `judge` would report for an advisory about the package. */
function openedChange(
  { ecosystem, name, version, purl }: IdentifiedPackage,
  level: Finding['level'],
  rated: Pick<Finding, 'severity' | 'countsAs'>,
): Change {
  return {
    transition: 'opened',
    finding: {
      fingerprint: purl,
      rule: vulnerability.name,
      level,
      ...rated,
      title: 'simulated advisory',
      package: { ecosystem, name, version, purl, groups: [] },
      locations: [],
    },
  };
}
