import type { HealthPart, HealthVerdict } from '../../model/api/lockhound-api.generated.ts';
import { type Verdict, worstVerdict } from '../../model/fleet/checks.ts';
import { judgeFacts } from './facts.ts';
import { judgeFlow } from './flow.ts';
import type { HealthFacts } from './health-facts.ts';
import { bindingLimits } from './limits.ts';
import { judgeRuns } from './runs.ts';
import { judgeTelemetry } from './telemetry.ts';

/** Judges a deployment. A pure function: the command, the API and the page show the same. */
export function judgeHealth(facts: HealthFacts): HealthVerdict {
  const parts = [
    judgeFlow(facts),
    ...judgeRuns(facts),
    judgeFacts(facts),
    judgeTelemetry(facts),
    ...bindingLimits(facts),
  ];
  const grade = worstVerdict(parts.map((part) => part.grade));
  return { grade, summary: summaryOf(grade, parts), parts, at: new Date(facts.now).toISOString() };
}

/** The verdict when Redis does not answer, so that nothing else is known. */
export function unreachableVerdict(reason: string, now: number): HealthVerdict {
  const says = `Redis does not answer: ${reason}`;
  const remedy =
    'Start Redis, or correct redis.url; `lockhound doctor` checks the rest. Workers continue by themselves.';
  return {
    grade: 'broken',
    summary: 'Nothing works: Redis does not answer.',
    parts: [{ part: 'flow', grade: 'broken', says, remedy }],
    at: new Date(now).toISOString(),
  };
}

function summaryOf(grade: Verdict, parts: readonly HealthPart[]): string {
  if (grade === 'fine') return 'Everything works.';
  const first = parts.find((part) => part.grade === grade);
  const others = parts.filter((part) => part.grade !== 'fine').length - 1;
  const more = others === 0 ? '' : ` (and ${others} more)`;
  const lead = {
    broken: 'Something does not work',
    degraded: 'It works, with something to look at',
    unknown: 'It is not known whether everything works',
  }[grade];
  return `${lead}: ${first?.says}${more}.`;
}
