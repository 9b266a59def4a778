import type { NotifiedChange } from '../../model/alert/notification.ts';
import { dueText } from '../../model/scan/age.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { truncateText } from './truncate.ts';

type Fix = NonNullable<Finding['fixes']>[number];

/** Packages of a path that are named; the others are counted. */
const SHOWN_STEPS = 5;
const MAX_COMMAND = 200;
const MAX_TEXT = 300;

/** What a person needs to act on a change, each in a few words; absent where it is not known. */
export function actionTexts({ finding, transition, since }: NotifiedChange) {
  const isOpen = transition !== 'resolved' && transition !== 'suppressed';
  return {
    why: isOpen ? priorityText(finding) : undefined,
    path: pathText(finding),
    todo: isOpen ? todoText(finding) : undefined,
    since: isOpen ? termOf(finding, since) : since && `was open since ${since.slice(0, 10)}`,
  };
}

/** `open since 2026-02-01, due 2026-02-08`. */
function termOf(finding: Finding, since: string | undefined): string | undefined {
  const due = dueText(finding);
  if (since === undefined) return due;
  return [`open since ${since.slice(0, 10)}`, ...(due === undefined ? [] : [due])].join(', ');
}

function priorityText({ priority }: Finding): string | undefined {
  if (priority === undefined) return undefined;
  return `priority ${priority.score}: ${priority.parts.map(({ reason }) => reason).join(', ')}`;
}

/** `direct`, or `via express@4.17.1 › body-parser@1.19.0`; the package itself is not repeated. */
function pathText({ package: { direct }, locations }: Finding): string | undefined {
  const path = locations.find(({ dependencyPath }) => dependencyPath.length > 1)?.dependencyPath.slice(0, -1);
  if (direct === true || path === undefined) return direct === true ? 'direct dependency' : undefined;
  const shown =
    path.length > SHOWN_STEPS ? [...path.slice(0, SHOWN_STEPS - 1), `… (${path.length} deep)`] : path;
  return truncateText(`via ${shown.join(' › ')}`, MAX_TEXT);
}

/** The first fix of a lockfile, otherwise the advice of the rule. */
function todoText({ fixes = [], advice }: Finding): string | undefined {
  const fix = fixes.find(({ changes }) => changes.length > 0) ?? fixes[0];
  if (fix !== undefined) return fixText(fix);
  return advice === undefined ? undefined : truncateText(`to do: ${advice}`, MAX_TEXT);
}

function fixText({ kind, changes, commands, until, reason }: Fix): string {
  const [command] = commands;
  const run = command === undefined ? '' : `: ${truncateText(command, MAX_COMMAND)}`;
  const list = changes.map(({ name, from, to }) => `${name} ${from} → ${to ?? 'removed'}`).join(', ');
  const why = reason === undefined ? '' : `: ${reason}`;
  const texts: Readonly<Record<Fix['kind'], string>> = {
    'in-range': `to do: lock again (${list})${run}`,
    'upgrade-direct': `to do: upgrade ${list}${run}`,
    override: `to do: only an override (${list}) clears it${run}`,
    'held-by-pin': `held by a pin of the project${why}`,
    'held-by-cooldown': `held until ${until?.slice(0, 10) ?? 'later'}${why}`,
    none: `there is no fix${why}`,
    unknown: `it is not known whether there is a fix${why}`,
  };
  return truncateText(texts[kind], MAX_TEXT);
}
