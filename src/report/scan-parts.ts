import { isFixable } from '../model/advice/fixable.ts';
import type { JudgedImage } from '../model/image/image.ts';
import type { Finding } from '../model/scan/finding.ts';
import { faultsIn } from '../model/scan/gap.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import type { ScanReport, Verdict } from '../model/scan/verdict.ts';
import { counted } from './layout.ts';

/**
 * Says that a scan found nothing, and how much it knew: every report begins with it. `text`: one sentence without a period. `detail`: the
 * rest of the sentence, where there is room; it begins with its own punctuation. `isClean`: false where the scan looked at nothing, or
 * does not know what it looked at: this is no success.
 */
export function noFindings({
  verdict,
  comparison,
  leftOut = 0,
}: Pick<ScanReport, 'verdict' | 'comparison' | 'leftOut'>) {
  const { packages, outcomes, lockfiles } = verdict.counts;
  const total = counted(packages, 'package');
  const none = comparison === undefined ? 'No findings' : 'No new findings';
  const unknown = (text: string, detail = '') => ({ text, detail, isClean: false });
  if (faultsIn(comparison?.newGaps ?? verdict.gaps).length > 0)
    return unknown(`${none}, but the scan is incomplete`, `: ${total} read`);
  if (leftOut > 0) return unknown('No findings fit the filters', `: ${leftOut} others in ${total}`);
  if (packages === 0 && lockfiles > 0) return unknown('No packages, so nothing was checked');
  if (outcomes.resolved === packages) return { text: none, detail: ` in ${total}`, isClean: true };
  const others = Object.entries(outcomes)
    .filter(([outcome, count]) => outcome !== 'resolved' && count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
  if (outcomes.resolved === 0)
    return unknown(`${none}, because nothing is known of the ${total}`, ` (${others})`);
  const detail = ` in ${outcomes.resolved} of ${total}; nothing is known of the others (${others})`;
  return { text: none, detail, isClean: true };
}

/** States how old the answers of a scan without network are. */
export function offlineText({ oldest, newest }: NonNullable<ScanReport['offline']>): string {
  return `Offline: nothing was requested. Its look-ups are from ${oldest} to ${newest}; later advisories are unknown.`;
}

const SHOWN_REPOSITORIES = 3;

/** States what the image of a scan is built on; `undefined` for a scan without an image. The names come from the image and from the service. */
export function imageText({
  image,
  gaps,
}: {
  readonly image?: JudgedImage | undefined;
  readonly gaps: Verdict['gaps'];
}): string | undefined {
  if (image === undefined) return undefined;
  const name = `Image ${image.reference ?? image.digest} (${image.platform})`;
  if (gaps.some(({ kind }) => kind === 'image')) return `${name}: its base could not be looked up.`;
  return image.base === undefined
    ? `${name}: no public image has its layers.`
    : `${name}: built on ${repositoriesText(image.base.repositories)}, ${layersText(image, image.base)}.`;
}

function layersText({ layers }: JudgedImage, base: NonNullable<JudgedImage['base']>): string {
  return base.layers === layers
    ? 'with no layer above it'
    : `with ${counted(layers - base.layers, 'layer')} above it`;
}

function repositoriesText(repositories: readonly string[]): string {
  const more = repositories.length - SHOWN_REPOSITORIES;
  const shown = repositories.slice(0, SHOWN_REPOSITORIES).join(', ');
  return more > 0 ? `${shown} (and ${more} more repositories)` : shown;
}

/** Packages that are named. */
const NAMED = 3;

/** The next step about the findings of a scan, in one line. `undefined` when there is nothing to do. */
export function nextStep(
  { verdict, advice }: Pick<ScanReport, 'advice'> & { readonly verdict: Pick<Verdict, 'gaps' | 'counts'> },
  findings: readonly Finding[],
): string | undefined {
  const alerts = findings.filter(isAlert);
  if (alerts.length === 0) return faultsIn(verdict.gaps).length === 0 ? undefined : forGaps(verdict.counts);
  if (advice !== undefined) return forAdvice(alerts);
  const direct = alerts.filter((one) => one.package.direct === true);
  const names = namesOf(direct.length > 0 ? direct : alerts);
  const start =
    direct.length > 0
      ? `the ${counted(names.length, 'direct dependency', 'direct dependencies')} (${named(names)})`
      : `what brings ${named(names)}`;
  return `\`lockhound fix\` finds the upgrades; start with ${start}.`;
}

function forAdvice(alerts: readonly Finding[]): string {
  const fixable = alerts.filter(isFixable).length;
  if (fixable === 0) return 'no known upgrade clears these findings; --verbose says why.';
  return `\`lockhound fix\` has the commands that clear ${fixable} of ${counted(alerts.length, 'finding')}.`;
}

function forGaps({ outcomes }: Verdict['counts']): string {
  if (outcomes.uncovered > 0)
    return 'scan without --local to look up what the local data does not cover, or import more (`lockhound data import osv`).';
  return 'correct what is listed as a gap, and scan again.';
}

function namesOf(findings: readonly Finding[]): readonly string[] {
  return [...new Map(findings.map((one) => [one.package.purl, one.package.name])).values()];
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}
