import { CRITICAL_SCORE, INCIDENT_SCORE, POINTS } from '../../src/policy/signals/suspicion.ts';
import { row, table } from './markdown.ts';

/** What each grade of a signal means. A new grade needs a text here. */
const GRADES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'index-finding': {
    malicious: 'the index says `MALICIOUS`, and no advisory does',
    critical: 'a risk that the index calls critical, and no rule determines',
    high: 'a risk that the index calls high, and no rule determines',
    other: 'another risk by the index',
    informational: 'an informational finding of the index',
  },
  'integrity-mismatch': {
    foreign: 'the digest is that of another version',
    unknown: 'no published version has the digest',
  },
  'look-alike': {
    'near-young': 'young, hardly used, and nearly the name of a package that is used far more',
    near: 'nearly the name of a package that is used far more, but not young',
    far: 'a name that is only similar',
  },
  'young-requirement': {
    package: 'a package that was first published in the 7 days before',
    address: 'something that is no registry version',
    unknown: 'a package that the index does not have',
    scope: 'a young package of its own npm scope',
  },
  burst: {
    strong: 'three lines within an hour, or four versions of two lines within two hours',
    project: 'many packages of one source project at once',
    flurry: 'three versions within 12 hours after a year of silence',
    plain: 'two lines within two hours',
  },
  'provenance-lost': {
    unverified: 'a provenance that does not verify',
    missing: 'no provenance; one point less when all groups are for development',
    'other-repository': 'a provenance of another repository; one point less, too',
  },
  'capability-gained': {
    'network-and-exec': 'network and execution of programs',
    serious: 'network, or execution of programs',
    other: 'system calls, files, cgo, unsafe pointers',
  },
  'install-script': {
    '': 'by the lockfile, a script at installation that versions locked before did not have',
  },
  withdrawn: {
    'default-moved-back': 'deprecated within 7 days, and an older version is the default again',
    plain: 'deprecated within 7 days',
  },
  revived: { package: 'a release after 18 months without any', line: 'a line that was replaced' },
  'dependency-changed': {
    '': 'other requirements under the same version',
    lockfile: 'a requirement that the lockfile does not have',
  },
  'scorecard-dropped': { workflow: '`Dangerous-Workflow` fell', plain: 'another check, or the score' },
  'pulled-siblings': { '': 'the versions just before were deprecated or withdrawn' },
  'source-moved': { '': 'the source project is another one than before' },
  'fresh-release': { '': 'younger than `policy.minimumAge` when it was locked' },
  unmaintained: { '': 'no release for three years, or not maintained by the scorecard' },
  behind: { '': 'no release of the locked line for a year, and a later line has one' },
};

/** The page with the points of each signal, those with most first. Throws `RangeError` for a grade without a text. */
export function signalsPage(): string {
  const graded = Object.entries(POINTS).flatMap(([signal, grades]) =>
    Object.entries(grades).map(([grade, points]) => ({ signal, points, text: textOf(signal, grade) })),
  );
  const rows = graded
    .toSorted((left, right) => right.points - left.points || left.signal.localeCompare(right.signal))
    .map(({ signal, points, text }) => row([String(points), `[\`${signal}\`](../rules/${signal}.md)`, text]));
  return `<!-- Written by \`npm run generate\` from the points of all detectors. -->

# Points of signals

An alert from ${INCIDENT_SCORE} points together on, critical from ${CRITICAL_SCORE} on. [Signals](../signals.md) says how they add up; each page says what to do.

${table(['points', 'signal', 'when'], rows)}`;
}

function textOf(signal: string, grade: string): string {
  const text = GRADES[signal]?.[grade];
  if (text === undefined)
    throw new RangeError(`the grade ${grade} of ${signal} has no text in signals-page.ts`);
  return text;
}
