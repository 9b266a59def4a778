import { SOURCE_ECOSYSTEM } from '../../model/lockfile/ecosystem.ts';
import type { Exception, JudgedException } from '../../model/scan/exception.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { Policy } from '../../model/scan/policy.ts';
import { judgeExceptions } from '../exceptions/judge.ts';
import type { Rule } from '../rule.ts';
import { fingerprintOf } from '../same-finding.ts';

/** Entries that overrule a tool for nothing. No package has them, so they come from `staleExceptions`, for each full scan of the lockfiles. */
export const staleException: Rule = {
  name: 'stale-exception',
  title: 'An exception is not needed any more',
  description:
    'An entry that overrules a tool (override, constraint, ignored advisory, exclude from a cooldown) changes nothing any more, or has expired.',
  help: {
    means:
      'an entry of a file beside the lockfiles overrules a package manager, a scanner or a cooldown, and [`lockhound ' +
      'exceptions`](../suppressions.md) judges it `removable` or `expired`. The finding names the file, its line and the evidence. It ends when the ' +
      'entry is removed or needed again.',
    sure:
      'sure for the lockfiles of the last full scan: they would stay as they are without the entry. A scan of some of the lockfiles changes nothing, and ' +
      'an entry on which the verdict becomes `unknown` keeps its finding. Suppressions of Lockhound are listed by the scan itself.',
    todo: 'remove the entry: `lockhound fix` has the commands for overrides.',
  },
  readsRecords: false,
  level: 'note',
  severity: 'low',
  applies: () => false,
  judge: () => [],
};

interface ScannedExceptions {
  readonly target: string;
  readonly inventory: Inventory;
  /** The findings of all rules about packages. */
  readonly findings: readonly Finding[];
  readonly policy: Policy;
  /** In ms since 1970. */
  readonly now: number;
}

/** The findings about exceptions of a full scan; `unsure` has the purls of those on which the verdict is not known. */
export function staleExceptions(scan: ScannedExceptions) {
  const { target, inventory, findings, policy, now } = scan;
  const settings = policy.rules[staleException.name];
  const level = settings?.level ?? staleException.level;
  const lockfiles = inventory.lockfiles.map(({ suppressions: _, ...file }) => file);
  const unread = inventory.unread.map(({ path }) => path);
  if (level === 'off' || !lockfiles.some(({ exceptions = [] }) => exceptions.length > 0))
    return { findings: [], unsure: new Set<string>() };
  const judged = judgeExceptions({ lockfiles, unread, findings, complete: false, now });
  const { removable = [], expired = [], unknown = [] } = Object.groupBy(judged, ({ verdict }) => verdict);
  const severity = settings?.severity ?? staleException.severity ?? 'low';
  return {
    findings: [...removable, ...expired].map((one) => ({
      ...findingAbout(one, target, statedBeside(one, inventory)),
      ...{ rule: staleException.name, level, severity },
    })),
    unsure: new Set(unknown.map(exceptionPurl)),
  };
}

/** The lockfiles that an exception lies beside: their owners are those of the finding. */
function statedBeside({ path, setting, subject }: JudgedException, { lockfiles }: Inventory) {
  return lockfiles.filter(({ exceptions = [] }) =>
    exceptions.some((one) => one.path === path && one.setting === setting && one.subject === subject),
  );
}

function findingAbout(one: JudgedException, target: string, beside: Inventory['lockfiles']) {
  const { path, line, setting, subject, evidence, verdict } = one;
  const purl = exceptionPurl(one);
  return {
    fingerprint: fingerprintOf(target, staleException.name, purl, ''),
    title: `${setting} ${subject} ${verdict === 'expired' ? 'has expired' : 'can be removed'}: ${evidence}`,
    package: { ecosystem: SOURCE_ECOSYSTEM, name: path, version: '', purl, direct: true, groups: [] },
    issue: `${setting} ${subject}`,
    locations: [
      { path, ...(line === undefined ? {} : { line }), dependencyPath: [] },
      ...beside.filter((file) => file.path !== path).map((file) => ({ path: file.path, dependencyPath: [] })),
    ],
    advice: `Remove the entry from ${path}.`,
  } as const;
}

/** Tells the entries of a target apart; moves with no line. */
export function exceptionPurl({ path, kind, setting, subject }: Exception): string {
  return `pkg:generic/${encodeURIComponent(path)}#${encodeURIComponent(`${kind} ${setting} ${subject}`)}`;
}
