import type {
  PackageBlame,
  Release,
  TargetDetails,
  TargetList,
} from '../../../model/api/lockhound-api.generated.ts';
import { defined } from '../../../model/defined.ts';
import { type DataLoss, lossText } from '../../../model/losses/evidence.ts';
import { EXCEPTION_VERDICTS, type JudgedException } from '../../../model/scan/exception.ts';
import type { Noun } from '../noun.ts';
import { PERIODS } from './where.ts';

const EXCEPTION_COLUMNS = 'place kind subject value evidence reason since author removableFrom';

/** Exceptions by their verdicts: those that can be removed come first. */
export const EXCEPTIONS = {
  shown: ({ exceptions }: { readonly exceptions: readonly JudgedException[] }) => ({
    total: exceptions.length,
    ...Object.fromEntries(
      EXCEPTION_VERDICTS.flatMap((verdict) => {
        const own = exceptions.filter((one) => one.verdict === verdict);
        return own.length === 0 ? [] : [[verdict, own.map(placed)]];
      }),
    ),
  }),
  columns: Object.fromEntries(EXCEPTION_VERDICTS.map((verdict) => [verdict, EXCEPTION_COLUMNS])),
};

function placed({ path, line, kind, reason, ...others }: JudgedException): object {
  const place = line === undefined ? path : `${path}:${line}`;
  return { place, kind, ...others, reason: kind === 'unread' ? undefined : reason };
}

function releaseText({ target, release, supportedUntil, supported }: Release): string {
  const support = supported ? 'supported until' : 'not judged since its support ended on';
  const until = supportedUntil === undefined ? '' : `, ${support} ${supportedUntil}`;
  return `release ${release} of ${target}${until}`;
}

export const NOUN: Noun = {
  verbs: {
    list: {
      items: 'targets',
      limit: 100,
      shown: ({ targets, ...others }: TargetList) => ({
        ...others,
        targets: targets.map(({ release, ...one }) => ({
          ...one,
          ...(release && { release: releaseText(release) }),
        })),
      }),
      columns: {
        targets: 'target labels packages open requestedAt incomplete stale release',
      },
    },
    get: {
      shown: ({ target: _target, findings, image, ...others }: TargetDetails) => ({
        ...others,
        ...(image && { image: { base: 'no public image has its layers', ...image } }),
        findings: findings.map(shortFinding),
      }),
      columns: {
        findings: 'severity package issue level suppressed openedAt title',
        deliveries: 'state route updatedAt id',
        lockfiles: 'path unread',
        unread: 'message',
        history: 'requestedAt changes gaps unchanged refreshed scan',
      },
    },
    report: { report: 'lockhound.targets.report' },
    inventory: {
      items: 'packages',
      limit: 200,
      columns: { packages: 'name version direct groups outcome reason' },
    },
    exceptions: {
      method: 'lockhound.exceptions.list',
      items: 'exceptions',
      ...EXCEPTIONS,
    },
    history: { items: 'scans', limit: 20 },
    blame: {
      args: ['package'],
      isFound: ({ periods }: PackageBlame) => periods.length > 0,
      columns: PERIODS,
    },
    forget: {
      question: ({ target }) => `Remove all that is stored of target ${target} and its releases?`,
    },
    acceptCorrections: {
      text: ({ accepted }: { readonly accepted: readonly DataLoss[] }) =>
        accepted.map((loss) => `${lossText(loss)}\n`).join(''),
    },
  },
  examples: `
Examples:
  lockhound targets --worst high --label team=web      targets of one team with severe open findings
  lockhound targets get org/shop                       lockfiles, last scans, open findings, deliveries
  lockhound targets inventory org/shop --search lodash the packages of its lockfile
  lockhound targets report org/shop --format html      a report as of a scan, from what is stored
  lockhound targets report org/shop --since 7d         what is new, gone and unchanged since then
  lockhound targets exceptions org/shop                what overrules its tools, and what can be removed
  lockhound targets history org/shop --since 7d        what each scan changed: packages, alerts, deliveries
  lockhound targets blame org/shop debug@4.4.2         which commit brought a package, and through whom
  lockhound targets forget org/old-shop                remove all that is stored of a target
  lockhound targets accept-corrections --author sam    the index withdrew hundreds of advisories rightly

Nothing else removes a target. A scan that a worker judges after \`forget\` is a first scan.
Exit codes: 0 done, 1 not confirmed, 2 an error, no such target, or an incomplete result.`,
};

/** An open finding in a row. */
function shortFinding({ finding, openedAt }: TargetDetails['findings'][number]) {
  const { severity, level, title, package: found, advisory, rule, suppressed } = finding;
  const { name, version } = found;
  return defined({
    ...{ severity, level, package: `${name}@${version}`, issue: advisory?.id ?? rule, title },
    ...{ suppressed: suppressed?.by, openedAt },
  });
}
