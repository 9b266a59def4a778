import type { Grade, HealthPart, HealthVerdict } from '../../model/fleet/health.ts';
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
  const grade = worstOf(parts);
  return { grade, summary: summaryOf(grade, parts), parts, at: new Date(facts.now).toISOString() };
}

/** The verdict when Redis does not answer, so that nothing else is known. */
export function unreachableVerdict(reason: string, now: number): HealthVerdict {
  const says = `Redis does not answer: ${reason}`;
  const remedy =
    'Start Redis, or correct redis.url; `lockhound doctor` checks the rest. Workers continue by themselves.';
  return {
    grade: 'bad',
    summary: 'Nothing works: Redis does not answer.',
    parts: [{ part: 'flow', grade: 'bad', says, remedy }],
    at: new Date(now).toISOString(),
  };
}

function worstOf(parts: readonly HealthPart[]): Grade {
  const grades = parts.map(({ grade }) => grade);
  return grades.includes('bad') ? 'bad' : grades.includes('attention') ? 'attention' : 'good';
}

function summaryOf(grade: Grade, parts: readonly HealthPart[]): string {
  if (grade === 'good') return 'Everything works.';
  const first = parts.find((part) => part.grade === grade);
  const others = parts.filter((part) => part.grade !== 'good').length - 1;
  const more = others === 0 ? '' : ` (and ${others} more)`;
  return `${grade === 'bad' ? 'Something does not work' : 'It works, with something to look at'}: ${first?.says}${more}.`;
}
