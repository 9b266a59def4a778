import type {
  DossierPackage,
  DossierStatement,
  DossierVulnerability,
  HeldPeriod,
} from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import { isSupported, releaseIn } from '../../model/fleet/release.ts';
import type { TargetState, TrackedFinding } from '../../model/scan/change.ts';
import type { AdvisoryEvidence, Finding } from '../../model/scan/finding.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { fixedVersion } from '../../report/finding-parts.ts';
import { reportTo } from '../../store/values/stored-values.ts';
import type { OperationContext } from '../context.ts';
import { alertsIn } from '../findings/exposure.ts';
import { withKnownFixes } from '../findings/shown.ts';
import type { Holder } from '../packages/holders.ts';
import { readLedger, timeOf } from '../packages/periods.ts';

export interface Asked {
  readonly subject: string;
  /** The names of the one vulnerability that is asked for; `undefined`: all of the target. */
  readonly names: ReadonlySet<string> | undefined;
  /** The vulnerabilities by their id, to which new ones are added. */
  readonly known: Map<string, DossierVulnerability>;
}

type Advised = TrackedFinding & { readonly finding: Finding & { readonly advisory: AdvisoryEvidence } };

/** One statement for each of the targets and each vulnerability that is asked for. A state that cannot be read is reported. */
export async function statementsOf(
  context: OperationContext,
  holders: readonly Holder[],
  asked: Asked,
): Promise<readonly DossierStatement[]> {
  const read = await Promise.all(
    holders.map(async (holder) => {
      const { store } = holder.selected;
      const { onUnreadable } = context.fleet;
      const [state, { entries, shown }] = await Promise.all([
        store.targets.read(holder.target).catch(reportTo(onUnreadable)),
        readLedger(context, holder),
      ]);
      return {
        holder,
        state,
        entries,
        periods: await shown(),
        found: await advisedIn(context, state, asked),
      };
    }),
  );
  const remedies = await remediesOf(context, read);
  return read.flatMap(({ holder, state, entries, periods, found }) => {
    const groups = Map.groupBy(found, ({ finding }) =>
      asked.names === undefined ? finding.advisory.id : asked.subject,
    );
    // A version that is affected and has no finding.
    if (asked.names !== undefined && groups.size === 0) groups.set(asked.subject, []);
    return [...groups].map(([vulnerability, own]): DossierStatement => {
      const purls = new Set(own.map(({ finding }) => finding.package.purl));
      const held = asked.names === undefined ? periods.filter(({ purl }) => purls.has(purl)) : periods;
      const names = new Set([
        ...(asked.names ?? []),
        ...own.flatMap(({ finding }) => namesOf(finding.advisory)),
      ]);
      const { opened, told } = alertsIn(entries, names);
      const { target, labels } = holder;
      const upgrades = [...new Set(own.flatMap((one) => remedies.get(one) ?? []))];
      return {
        target,
        labels,
        ...releaseOf(target, state),
        vulnerability,
        ...statusOf(own, held, state),
        packages: held.map((period) => packageOf(period, own)),
        ...(opened === undefined ? {} : { openedAt: timeOf(opened) }),
        told: told.map(({ route, at }) => ({ route, at: timeOf(at) })),
        ...(upgrades.length === 0 ? {} : { remedy: upgrades.join(', ') }),
      };
    });
  });
}

/** The findings of a target that are asked for; adds their vulnerabilities to those that are known. */
async function advisedIn(
  { exploits }: OperationContext,
  state: TargetState | undefined,
  { names, known }: Asked,
): Promise<readonly Advised[]> {
  const found = (state?.findings ?? []).filter(
    (one): one is Advised =>
      one.finding.advisory !== undefined &&
      (names === undefined || namesOf(one.finding.advisory).some((name) => names.has(name))),
  );
  for (const { finding } of found) {
    if (known.has(finding.advisory.id)) continue;
    const { advisory, severity, kev } = withExploits(finding, await exploits()) as Advised['finding'];
    const { id, aliases, title, url, score, vector } = advisory;
    const facts = defined({ score, vector, exploited: kev?.listed, exploitedSince: kev?.added });
    known.set(id, { id, aliases: [...aliases], title, url, severity, ...facts });
  }
  return found;
}

function namesOf({ id, aliases }: AdvisoryEvidence): readonly string[] {
  return [id, ...aliases];
}

/** The known upgrades of open findings, such as `lodash 4.17.21`. */
async function remediesOf(
  { fleet }: OperationContext,
  read: readonly { readonly holder: Holder; readonly found: readonly Advised[] }[],
): Promise<ReadonlyMap<Advised, string>> {
  const open = read.flatMap(({ holder: { target, labels }, found }) =>
    found.flatMap((one) =>
      one.status === 'open' ? [{ one, listed: { target, labels, places: 0, ...one } }] : [],
    ),
  );
  const advised = await withKnownFixes(
    fleet,
    open.map(({ listed }) => listed),
  );
  const remedies = new Map<Advised, string>();
  for (const [index, { one }] of open.entries()) {
    const version = fixedVersion(advised[index]?.finding ?? {});
    if (version !== undefined) remedies.set(one, `${one.finding.package.name} ${version}`);
  }
  return remedies;
}

function releaseOf(target: string, state: TargetState | undefined): Pick<DossierStatement, 'release'> {
  const release = releaseIn(target);
  if (release === undefined) return {};
  const supportedUntil = state?.release?.supportedUntil;
  return {
    release: {
      ...release,
      ...defined({ supportedUntil }),
      supported: isSupported(supportedUntil, Date.now()),
    },
  };
}

/**
 * The status as VEX has it. A suppression by a person does not say that the package is not affected; a VEX document does. What is not
 * known is under investigation.
 */
function statusOf(
  found: readonly Advised[],
  periods: readonly HeldPeriod[],
  state: TargetState | undefined,
): Pick<DossierStatement, 'status' | 'reason' | 'author'> {
  const open = found.filter(({ status }) => status === 'open').map(({ finding }) => finding);
  const counting = open.find(({ suppressed }) => suppressed === undefined);
  const decided = open.find(({ suppressed }) => suppressed !== undefined && suppressed.source !== 'vex');
  const stated = (counting ?? decided ?? open[0])?.suppressed;
  if (open.length > 0) {
    const status = counting === undefined && decided === undefined ? 'not_affected' : 'affected';
    return { status, ...defined({ reason: stated?.reason, author: stated?.author }) };
  }
  if (state === undefined) return { status: 'under_investigation', reason: 'its state cannot be read' };
  const isHeld = periods.some(
    ({ until, notKnownAfter }) => until === undefined && notKnownAfter === undefined,
  );
  const isUnjudged = !isSupported(state.release?.supportedUntil, Date.now());
  if (isHeld && isUnjudged)
    return { status: 'under_investigation', reason: 'its support has ended, and it is not judged any more' };
  if (isHeld)
    return { status: 'under_investigation', reason: 'it holds an affected version, and has no open finding' };
  if (periods.some(({ notKnownAfter }) => notKnownAfter !== undefined))
    return { status: 'under_investigation', reason: 'it is not known when it held an affected version last' };
  if (periods.length + found.length === 0)
    return { status: 'under_investigation', reason: 'it is not known when it held an affected version' };
  return { status: 'fixed' };
}

function packageOf(
  { purl, lockfile, direct, through, from, until, notKnownBefore, notKnownAfter }: HeldPeriod,
  found: readonly Advised[],
): DossierPackage {
  const locations = found.flatMap(({ finding }) => (finding.package.purl === purl ? finding.locations : []));
  const place = locations.find(({ path }) => path === lockfile);
  const way = through === undefined ? (direct === true ? [purl] : []) : [through, purl];
  return {
    purl,
    lockfile,
    path: place === undefined || place.dependencyPath.length === 0 ? way : [...place.dependencyPath],
    ...defined({ from, until, notKnownBefore, notKnownAfter }),
  };
}
