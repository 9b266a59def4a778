import type { Notification, Run } from 'sarif';
import { packageVersion } from '../../files/package-file.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { type Gap, mayHide } from '../../model/scan/gap.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { listParts, openedObject } from '../json.ts';
import { subjectOf } from '../review/comparison-text.ts';
import { placesOf, resultMaker } from './results.ts';
import { rulesOf } from './rules.ts';
import { sarifText } from './text.ts';

/** Code scanning accepts at most this many results in a run; the worst come first. */
const MAX_RESULTS = 25_000;
/** Gaps that are listed as notifications. */
const MAX_NOTIFICATIONS = 1_000;
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/**
 * The scan as SARIF 2.1.0 (OASIS), in the subset that code scanning reads: one rule for each advisory or kind of finding, one
 * result for each place of a finding with its line, the dependency path as a code flow, and gaps as notifications. The same
 * report gives the same bytes. Returned in parts, because the results of a large scan take several megabytes.
 */
export function* renderSarif({ inventory, verdict, comparison }: ScanReport): Generator<string> {
  const places = verdict.findings.flatMap(placesOf);
  const listed = places.slice(0, MAX_RESULTS);
  const rules = rulesOf(listed.map(({ finding }) => finding));
  const indexes = new Map([...rules.keys()].map((id, index) => [id, index]));
  const hasSuppressed = listed.some(({ finding }) => finding.suppressed !== undefined);
  const run: Omit<Run, 'results'> = {
    tool: {
      driver: {
        name: 'Lockhound',
        semanticVersion: packageVersion(),
        rules: [...rules.values()],
      },
    },
    automationDetails: { id: `lockhound/${verdict.target.id}/` },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: verdict.complete,
        toolExecutionNotifications: [
          ...notificationsOf(verdict.gaps, places.length - listed.length),
          ...(comparison?.gone ?? []).slice(0, MAX_NOTIFICATIONS).map(goneNotification),
        ],
      },
    ],
  };
  yield `{"$schema":"${SCHEMA}","version":"2.1.0","runs":[${openedObject(run)},"results":`;
  yield* listParts(listed, resultMaker(inventory, indexes, { hasSuppressed, comparison }));
  yield '}]}\n';
}

function notificationsOf(gaps: readonly Gap[], omitted: number): Notification[] {
  const listed = gaps.slice(0, MAX_NOTIFICATIONS).map(
    (gap): Notification => ({
      level: mayHide(gap) ? 'warning' : 'note',
      descriptor: { id: `gap/${gap.kind}` },
      message: { text: sarifText(`${gap.subject}: ${gap.reason}`) },
    }),
  );
  const rest = gaps.length - listed.length;
  return [
    ...listed,
    ...(rest > 0 ? [notice(`${rest} more gaps are not listed`)] : []),
    ...(omitted > 0
      ? [notice(`${omitted} more places of findings are not listed, the least severe ones`)]
      : []),
  ];
}

/** Not a result with the state `absent`: code scanning ignores states, and would show it as an alert. */
function goneNotification(finding: Finding): Notification {
  return {
    level: 'note',
    descriptor: { id: 'finding/gone' },
    message: { text: sarifText(`gone: ${subjectOf(finding)}`) },
  };
}

function notice(message: string): Notification {
  return { level: 'warning', message: { text: message } };
}
