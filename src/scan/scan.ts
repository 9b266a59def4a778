import type { ExploitData } from '../model/exploits/exploit-data.ts';
import type { ScannedImage } from '../model/image/image.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Target, TargetState } from '../model/scan/change.ts';
import type { Lacking } from '../model/scan/gap.ts';
import type { Advisory, Inventory, Resolution } from '../model/scan/inventory.ts';
import { imageScanOf, newScanId, scanIdOf } from '../model/scan/scan-id.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import { advisoriesOf, referredAdvisories } from './advisories.ts';
import type { Attempt, Attempts } from './attempt.ts';
import { compareImage, findBase, withImage } from './base-image.ts';
import { type ComparisonRules, compareScan } from './compare.ts';
import { lackingGap } from './gaps.ts';
import { fetchGraphs, graphsIn, keysToExpand } from './graphs.ts';
import { judgeInventory } from './judge.ts';
import { type AllRead, type Reading, readLockfiles, type ScanRequest } from './read.ts';
import { resolveLockfiles } from './resolve.ts';

interface ScanSources {
  readonly reading: Reading;
  readonly insights: Pick<Insights, 'resolve' | 'advisory' | 'dependencies' | 'baseImage'>;
  readonly rules: ComparisonRules;
  readonly exploits: ExploitData;
  /** Inspects packages for signs of a compromise; by purl. Absent: they are not inspected. */
  readonly inspect?: Inspect | undefined;
  /** Finds what the service does not state, although every index does. Absent: it is not looked for. */
  readonly lackingSystems?:
    | ((inventory: Inventory, signal: AbortSignal) => Promise<readonly Lacking[]>)
    | undefined;
  /** Tries steps again that may succeed later. */
  readonly attempts: Attempts;
}

export type Inspect = (
  scan: ScanHeader,
  read: AllRead,
  resolutions: readonly Resolution[],
  inventory: Inventory,
) => Promise<ReadonlyMap<string, Inspection>>;

interface ScanHeader extends Pick<ScanRequest, 'image'> {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly partial: boolean;
  /** In ms since 1970. */
  readonly startedAt: number;
  /** The state of the target before; `undefined` for a new target. */
  readonly previous: TargetState | undefined;
}

/** A scan, and the state of its target after it. */
interface ScannedTarget {
  readonly report: ScanReport;
  readonly state: TargetState | undefined;
}

/**
 * Scans the lockfiles of a target: reads them, resolves the packages, collects what is known of them, judges, and compares the
 * findings with the state of the target. What cannot be found out is a gap of the report. Rejects with the reason of the signal.
 */
// Not an async function: it would keep the contents of the lockfiles until the scan ends.
export function scanTarget(
  request: ScanRequest,
  previous: TargetState | undefined,
  sources: ScanSources,
): Promise<ScannedTarget> {
  const header = headerOf(request, previous);
  const { image } = header;
  if (request.lockfiles.length === 0 && image !== undefined) {
    const inventory = { lockfiles: [], unread: [] };
    return judgeImage({ ...header, image }, sources).then(({ verdict, state }) => ({
      report: { inventory, verdict },
      state,
    }));
  }
  return read(request.lockfiles, sources)
    .then((files) => resolve(header, files, sources))
    .then((resolved) => conclude(header, resolved, sources));
}

function headerOf(request: ScanRequest, previous: TargetState | undefined): ScanHeader {
  const { target, scan = newScanId(), requestedAt, partial = false, image } = request;
  const startedAt = Date.now();
  return {
    scan: scanIdOf(target.id, scan),
    target: { id: target.id, labels: { ...target.labels } },
    requestedAt: requestedAt ?? new Date(startedAt).toISOString(),
    partial,
    image,
    startedAt,
    previous,
  };
}

function read(lockfiles: ScanRequest['lockfiles'], { attempts, reading }: ScanSources): Promise<AllRead> {
  return attempts((attempt) => readLockfiles(lockfiles, reading, attempt));
}

async function resolve(scan: ScanHeader, files: AllRead, { attempts, insights, inspect }: ScanSources) {
  const options = {
    insights,
    readAt: scan.startedAt,
    keepsArtifacts: true,
  };
  const { inventory, resolutions } = await attempts((attempt) => resolveLockfiles(files, options, attempt));
  return { inventory, inspecting: inspect?.(scan, files, resolutions, inventory) };
}

async function conclude(
  scan: ScanHeader,
  { inventory, inspecting }: Awaited<ReturnType<typeof resolve>>,
  sources: ScanSources,
): Promise<ScannedTarget> {
  const { attempts, insights, rules, exploits, lackingSystems } = sources;
  const [advisories, graphs, lacking = [], inspections = new Map<string, Inspection>()] = await Promise.all([
    attempts((attempt) => collectAdvisories(inventory, insights, attempt)),
    attempts((attempt) => fetchGraphs(keysToExpand(inventory), insights, attempt)),
    attempts(async ({ signal }) => lackingSystems?.(inventory, signal)),
    inspecting,
  ]);
  const judged = {
    ...scan,
    inventory,
    paths: [...inventory.lockfiles, ...inventory.unread].map(({ path }) => path),
    advisories,
    graphs: graphsIn([graphs]),
    inspections,
    policy: rules.policy,
    judgedAt: scan.startedAt,
    firstScan: rules.routing.firstScan,
    exploits,
  };
  const { verdict, state = scan.previous } = await attempts(async ({ progress }) => {
    progress({ step: 'judge', done: 0, total: 1 });
    const judgement = await judgeInventory(judged);
    const gaps = [...judgement.gaps, ...lacking.map(lackingGap)];
    return await compareScan({ ...judged, ...judgement, gaps }, rules);
  });
  const { image } = scan;
  if (image === undefined) return { report: { inventory, verdict }, state };
  const ofImage = { ...scan, image, scan: imageScanOf(scan.scan), previous: state };
  const judgedImage = await judgeImage(ofImage, sources);
  return {
    report: { inventory: { ...inventory, image }, verdict: withImage(verdict, judgedImage.verdict) },
    state: judgedImage.state,
  };
}

async function collectAdvisories(inventory: Inventory, insights: ScanSources['insights'], attempt: Attempt) {
  const total = (await referredAdvisories(inventory)).size;
  let done = 0;
  const advisory = (id: string, signal: AbortSignal) =>
    insights.advisory(id, signal).finally(() => {
      done += 1;
      attempt.progress({ step: 'advisories', done, total });
    });
  const given = { known: new Map<string, Advisory>(), fetched: [], insights: { advisory } };
  return await advisoriesOf(inventory, given, attempt);
}

async function judgeImage(
  scan: ScanHeader & { readonly image: ScannedImage },
  { attempts, insights, rules }: ScanSources,
) {
  const { previous } = scan;
  const known = { insights, previous: previous?.image };
  const found = await attempts((attempt) => findBase(scan.image, known, attempt));
  const { verdict, state = previous } = await compareImage(
    { ...scan, found, judgedAt: scan.startedAt },
    rules,
  );
  return { verdict, state };
}
