import { basename, resolve } from 'node:path';
import { createDeferredLog } from '../compose/deferred-log.ts';
import { type CacheOptions, type LookUpCache, openLookUpCache } from '../compose/look-up-cache.ts';
import { openScanner, standaloneConfig } from '../compose/scanner.ts';
import { dataFolder } from '../config/data-folder.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ConfiguredVex } from '../config/sections/vex.ts';
import { sourceDate } from '../config/source-date.ts';
import { codedError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import { MAX_COMPANION_BYTES } from '../lockfiles/companions.ts';
import type { DiscoveredLockfile, UnlockedManifest } from '../lockfiles/discover.ts';
import { payloadPath } from '../lockfiles/payload-file.ts';
import { messageOf } from '../model/errors.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { UnusedSuppression } from '../model/scan/suppression.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import type { ScanRequest } from '../scan/read.ts';
import type { ImagePath } from '../sources/image/oci-image.ts';
import { ScanError } from './errors.ts';
import { type LockfilePaths, readLockfilePaths } from './lockfile-paths.ts';
import { isLarge, limitGarbage } from './scanning/large-scan.ts';
import { requireLookUps } from './scanning/look-ups.ts';
import type { AdvisedScan, ScanAdvice } from './scanning/scan-advice.ts';
import type { ScanProgress } from './scanning/scan-watch.ts';
import { sharedSuppressions } from './shared-suppressions.ts';

export interface ScanOptions {
  /** May be empty where there is an image. */
  readonly paths: readonly string[];
  readonly image?: ImagePath | undefined;
  /** VEX documents whose statements suppress findings. */
  readonly vex?: readonly string[] | undefined;
  /** Uses the bundled local service. */
  readonly local: boolean;
  /** Inspects the packages for signs of a compromise. */
  readonly signals?: boolean;
  /** Default: the name of the first path's folder. */
  readonly target?: string | undefined;
  readonly format?: string | undefined;
  /** Compares with a commit: a range as `git diff` reads it. */
  readonly since?: string | undefined;
  /** Compares with the JSON report of an earlier scan. */
  readonly baseline?: string | undefined;
  /** Look-ups are cached on the disk. Default: they are not. */
  readonly cache?: CacheOptions | undefined;
  readonly signal: AbortSignal;
  readonly progress: ScanProgress;
  /** Requests for advice on findings at most. Default: 0, without advice. */
  readonly adviceRequests?: number;
  /** Requests for the proof of exceptions at most. Default: 0, without them. */
  readonly exceptionRequests?: number;
}

/**
 * The `scan` and `fix` commands: a scan in this process, without Redis or a queue. Throws `ScanError`,
 * `LockfileError` for paths that cannot be read, `EmbeddedError`, `ConfigError` (`SOURCE_DATE_EPOCH`).
 */
export async function scanPaths(given: LoadedConfig, options: ScanOptions): Promise<AdvisedScan> {
  const at = sourceDate();
  const scanned = await scanNow(given, options);
  if (at === undefined) return scanned;
  const { withReportTime } = await import('./scanning/report-time.ts');
  return { ...scanned, report: withReportTime(scanned.report, at) };
}

async function scanNow(given: LoadedConfig, options: ScanOptions): Promise<AdvisedScan> {
  const { signal, progress, since, baseline } = options;
  if (options.signals === true && !options.local && !given.config.insights.sources.includes('api'))
    throw new ScanError(
      'invalid-request',
      'signals need the package-insights API: `insights.sources` names osv alone',
    );
  const loaded = standaloneConfig(given);
  await requireValid({ target: { id: targetOf(options) } });
  const base = baseline === undefined ? undefined : await openBaseline(baseline);
  // The bundled data and imported advisories need no cache, and no network.
  const isRemote = !options.local && loaded.config.insights.sources.includes('api');
  const cache = isRemote ? options.cache : undefined;
  const kept = cache === undefined ? undefined : openLookUpCache(loaded, cache);
  const offline = cache?.offline === true;
  const places = new Map<string, DiscoveredLockfile>();
  const onRead = (path: string, file: DiscoveredLockfile) => void places.set(path, file);
  const unlocked: UnlockedManifest[] = [];
  const onUnlocked = (manifest: UnlockedManifest) => void unlocked.push(manifest);
  const log = createDeferredLog(loaded);
  const vex = await readVex(options.vex);
  const scanner = await openScanner(loaded, {
    log,
    suppressions: [...(await sharedSuppressions(loaded, log)), ...vex.suppressions],
    signal,
    local: options.local
      ? await (await import('../embedded/insights/local-index.ts')).openLocalIndex()
      : undefined,
    cache: kept?.cache,
    offline,
    inspections:
      options.signals === true
        ? (await import('../jobs/signals/inspect-now.ts')).createMemoryInspections()
        : undefined,
    previous: base?.previous,
    stated: base?.stated,
    onProgress: ({ step, done, total }) => progress.update(step, done, total),
    onWait: progress.wait,
  });
  const aged = offline ? kept : options.local ? 'bundled' : undefined;
  let isSound = true;
  const scan = async (request: Promise<ScanRequest>): Promise<ScanReport> => {
    // Not kept in a variable, so that the contents can be freed before the scan ends.
    const report = await scanner.scan(await request).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ScanError('scan-failed', messageOf(error), { cause: error });
    });
    isSound &&= !report.verdict.gaps.some(({ kind }) => kind === 'service');
    return requireLookUps(
      withUnused(report, [...unusedIn(loaded.vexNotApplied), ...unusedIn(vex.notApplied)]),
      loaded,
      offline ? kept?.folder : undefined,
    );
  };
  try {
    if (since !== undefined) {
      const { scanRevisions } = await import('./review/scan-since.ts');
      const { maxBytes } = loaded.config.lockfiles;
      const range = { ...options, range: since, target: targetOf(options), maxBytes, onRead, onUnlocked };
      const { report: compared, added } = await scanRevisions(scan, range);
      const report = await withUnlocked(await withAge(compared, loaded, aged), unlocked);
      // What is read from git alone has no files beside it that could be read again.
      if (places.size === 0) return { report, plans: [], added };
      const { insights } = scanner;
      return { ...(await advised(report, { loaded, options, places, insights })), added };
    }
    const request = readRequest(loaded, options, { onRead, onUnlocked });
    const scanned = await withUnlocked(await withAge(await scan(request), loaded, aged), unlocked);
    const report = base === undefined ? scanned : { ...scanned, comparison: base.compare(scanned) };
    return await advised(report, { loaded, options, places, insights: scanner.insights });
  } finally {
    await scanner.close();
    // Answers of a service that lost data must not outlast it.
    if (isSound) await kept?.cache.flush();
  }
}

/** A scan without network says how old its answers are: those of the cache, or the imported advisories. */
async function withAge(
  report: ScanReport,
  { config: { insights, data } }: LoadedConfig,
  kept: LookUpCache | 'bundled' | undefined,
): Promise<ScanReport> {
  if (kept === 'bundled') return report;
  const isImported = kept === undefined && !insights.sources.includes('api');
  const ages = isImported ? await importedAges(dataFolder(data.folder)) : kept?.cache.ages();
  if (ages === undefined) return report;
  const [oldest, newest] = [new Date(ages.oldest).toISOString(), new Date(ages.newest).toISOString()];
  return { ...report, offline: { oldest, newest } };
}

/** The times of the newest advisory of each system. */
async function importedAges(folder: string) {
  const { importedCoverage } = await import('../advisories/database.ts');
  const times = ((await importedCoverage(folder)) ?? []).map(({ asOf }) => Date.parse(asOf));
  return times.length === 0 ? undefined : { oldest: Math.min(...times), newest: Math.max(...times) };
}

/** The report with a gap for each manifest that names packages and has no lockfile. */
async function withUnlocked(report: ScanReport, manifests: readonly UnlockedManifest[]): Promise<ScanReport> {
  if (manifests.length === 0) return report;
  const { unlockedReason } = await import('../lockfiles/manifests.ts');
  const found: Gap[] = [];
  for (const { path, relativePath, name, within } of manifests) {
    const reason = await readFile(path, { maxBytes: MAX_COMPANION_BYTES, within }).then(
      (content) => unlockedReason(name, content.toString('utf8')),
      (error: unknown) =>
        `no lockfile belongs to it, and it cannot be read: ${codedError(path, error).message}`,
    );
    if (reason !== undefined)
      found.push({ kind: 'manifest', subject: payloadPath(relativePath).path, reason });
  }
  const { verdict } = report;
  return { ...report, verdict: { ...verdict, gaps: [...verdict.gaps, ...found] } };
}

/** The findings of an earlier report, as the state that this scan changes. */
async function openBaseline(path: string) {
  const { readBaseline, stateOf, statedFacts } = await import('./review/baseline.ts');
  const { compareScans } = await import('../policy/review/compare-scans.ts');
  const facts = await readBaseline(path);
  return {
    previous: stateOf(facts),
    stated: statedFacts(facts.findings),
    compare: (report: ScanReport) => compareScans(report, facts),
  };
}

function targetOf({ target, paths, image }: Pick<ScanOptions, 'target' | 'paths' | 'image'>): string {
  return target ?? (basename(resolve(paths[0] ?? image?.path ?? '.')) || 'target');
}

/** The advice is loaded when there are findings on which there can be any, or exceptions to prove. */
async function advised(
  report: ScanReport,
  {
    loaded,
    options,
    ...parts
  }: Omit<ScanAdvice, 'maxRequests' | 'maxBytes' | 'signal'> & {
    readonly loaded: LoadedConfig;
    readonly options: ScanOptions;
  },
): Promise<AdvisedScan> {
  const { adviceRequests = 0, exceptionRequests = 0, signal } = options;
  const { maxBytes } = loaded.config.lockfiles;
  const isAdvised =
    adviceRequests > 0 && report.verdict.findings.some(({ advisory }) => advisory !== undefined);
  const isProven =
    exceptionRequests > 0 && report.inventory.lockfiles.some((one) => one.exceptions !== undefined);
  if (!isAdvised && !isProven) return { report, plans: [] };
  const { adviseScan, proveExceptions } = await import('./scanning/scan-advice.ts');
  const limits = { ...parts, maxBytes, signal };
  const proven = isProven
    ? await proveExceptions(report, { ...limits, maxRequests: exceptionRequests })
    : report;
  if (!isAdvised) return { report: proven, plans: [] };
  return await adviseScan(proven, { ...limits, maxRequests: adviceRequests });
}

/** The content of the VEX documents of an option. Loaded on use: few scans name a document. */
async function readVex(paths: readonly string[] = []): Promise<ConfiguredVex> {
  if (paths.length === 0) return { suppressions: [], notApplied: [] };
  const { readVexFiles } = await import('./scanning/vex-file.ts');
  return await readVexFiles(paths);
}

/** A statement of a VEX document that was not applied is a suppression without effect. */
function unusedIn(notApplied: ConfiguredVex['notApplied'] = []): readonly UnusedSuppression[] {
  return notApplied.map(({ path, line, reason }) => ({ id: `${path}:${line}`, reason }));
}

function withUnused(report: ScanReport, unused: readonly UnusedSuppression[]): ScanReport {
  if (unused.length === 0) return report;
  const { verdict } = report;
  const unusedSuppressions = [...(verdict.unusedSuppressions ?? []), ...unused];
  return { ...report, verdict: { ...verdict, unusedSuppressions } };
}

async function readRequest(
  { config }: LoadedConfig,
  options: ScanOptions,
  on: Pick<LockfilePaths, 'onRead' | 'onUnlocked'>,
): Promise<ScanRequest> {
  const { paths, format, signal, image: named } = options;
  const { maxBytes } = config.lockfiles;
  const image =
    named && (await (await import('../sources/image/oci-image.ts')).readImage(named.path, named.platform));
  if (image !== undefined) await requireValid({ target: { id: targetOf(options) }, image });
  const lockfiles =
    paths.length === 0 ? [] : await readLockfilePaths({ paths, signal, maxBytes, format, ...on });
  if (isLarge(lockfiles)) limitGarbage();
  return { target: { id: targetOf(options) }, lockfiles, image };
}

/**
 * Throws `ScanError` (`invalid-request`). Nearly all names of targets are plain; only others, and images, are checked against the schema,
 * which takes longer to build than a small scan.
 */
async function requireValid({ target, image }: Pick<ScanRequest, 'target' | 'image'>): Promise<void> {
  if (image === undefined && /^[\x20-\x7e]{1,200}$/.test(target.id)) return;
  const { requireValidRequest } = await import('./scanning/valid-request.ts');
  requireValidRequest(target, image);
}
