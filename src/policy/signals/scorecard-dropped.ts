import type { Scorecard } from '../../model/signal/inspection.ts';
import type { Detector, Trace } from './detector.ts';

/** A project that does worse in one of these is easier to take over. */
const CHECKS = ['Dangerous-Workflow', 'Token-Permissions', 'Maintained', 'Code-Review', 'Branch-Protection'];
/** A check that falls under this line counts. */
const LINE = 5;
const OVERALL_FALL = 2;

export const scorecardDropped: Detector = {
  name: 'scorecard-dropped',
  title: 'The scorecard of the source project fell',
  description: 'The scorecard of the source project is much lower than it was.',
  help: {
    means:
      'the scorecard of the source project fell: one of `Dangerous-Workflow`, `Token-Permissions`, ' +
      '`Maintained`, `Code-Review` and `Branch-Protection` under 5, or the score by two or more. It ' +
      'is compared with what was known: the best scorecard of the last 180 days, and for 90 days ' +
      'after the fall. A check that did not run says nothing.\n\n' +
      'A project is looked up once for its new versions, at most once a day, and at every refresh of ' +
      'everything (`watch.every`); then up to 20 of its inspected versions are inspected again. At ' +
      'most 20,000 projects are remembered.',
    sure: 'weak alone.',
    todo: "look at the check that fell; a dangerous workflow lets others publish in the project's name.",
  },
  points: { workflow: 2, plain: 1 },
  detect({ projects = [] }) {
    for (const { id, reference, now } of projects) {
      const fall = reference && now && fallOf(reference, now);
      if (fall === undefined) continue;
      return { ...fall, text: `is built from ${id}, whose scorecard fell: ${fall.text}` };
    }
    return undefined;
  },
};

/** How much lower a scorecard is than an earlier one; `undefined` when it is not, or not by enough. */
export function fallOf(before: Scorecard, now: Scorecard): Trace | undefined {
  const fallen = CHECKS.flatMap((name) => {
    const [from, to] = [before.checks[name], now.checks[name]];
    return from !== undefined && to !== undefined && from >= LINE && to < LINE ? { name, from, to } : [];
  });
  const parts = fallen.map(({ name, from, to }) => `${name} from ${from} to ${to}`);
  if (before.overall - now.overall >= OVERALL_FALL) {
    parts.push(`overall from ${before.overall} to ${now.overall}`);
  }
  if (parts.length === 0) return undefined;
  const isOpen = fallen.some(({ name }) => name === 'Dangerous-Workflow');
  return {
    grade: isOpen ? 'workflow' : 'plain',
    text: `${parts.join(', ')} (${before.date.slice(0, 10)} to ${now.date.slice(0, 10)})`,
  };
}
