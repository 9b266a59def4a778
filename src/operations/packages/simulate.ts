import { routingOf } from '../../compose/notify/routing.ts';
import type { IdentifiedPackage } from '../../fleet/identity.ts';
import type { Routing } from '../../model/alert/routing.ts';
import type { ReachedTarget, SimulatedAdvisory } from '../../model/api/lockhound-api.generated.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { policyFor } from '../../policy/policy-for.ts';
import { routeChanges } from '../../policy/routing/route-changes.ts';
import { vulnerability } from '../../policy/rules/vulnerability.ts';
import { unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { findHolders, type Holder } from './holders.ts';
import { readPackageQuery } from './query.ts';

/** The targets and routes that a new advisory about some versions would reach. */
export const simulate: Operation<'lockhound.packages.simulate'> = async ({ params, principal }, context) => {
  const { range, ecosystem, severity } = params;
  const { fleet, loaded } = context;
  const query = readPackageQuery(params.package, { range, ecosystem });
  const { holders, notCompared } = await findHolders(context, query, ({ target }) => principal.sees(target));
  const { notify } = loaded.config;
  const { policy } = fleet;
  const routing: Routing =
    notify === undefined ? { take: 'all', firstScan: 'all', rules: [] } : routingOf(notify);
  const level = policy.rules[vulnerability.name]?.level ?? vulnerability.level;
  const rated: Rated =
    severity === undefined ? { severity: 'unrated', countsAs: policy.unknownSeverity } : { severity };
  const targets: ReachedTarget[] = [];
  for (const holder of holders) {
    const own = policyFor(policy, holder).rules[vulnerability.name]?.level ?? vulnerability.level;
    const found = await reached(holder, { routing, level: own, rated });
    targets.push(own === level ? found : { ...found, level: own });
  }
  return {
    ...rated,
    level,
    routes: routing.rules.map(({ name, mode }) => ({
      route: name,
      mode,
      targets: targets.filter(({ routes }) => routes.includes(name)).length,
    })),
    targets,
    notCompared,
    ...unreadableOf(context, principal),
  };
};

type Rated = Pick<Finding, 'severity' | 'countsAs'>;

interface Circumstances {
  readonly routing: Routing;
  readonly level: SimulatedAdvisory['level'];
  readonly rated: Rated;
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
  rated: Rated,
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
