import type { Finding } from './finding.ts';

const DAY_MS = 86_400_000;

/** The finding with its age at `now` (ms since 1970), and with the time by which it has to be resolved where its severity has a limit. */
export function withAge(finding: Finding, openedAt: string, now: number, dueIn: number | undefined): Finding {
  const since = Date.parse(openedAt);
  return {
    ...finding,
    age: { since: openedAt, days: Math.max(0, Math.floor((now - since) / DAY_MS)) },
    ...(dueIn === undefined ? {} : { due: new Date(since + dueIn).toISOString() }),
  };
}

/** `open for 12 days`; `undefined` for one that is open for less than a day, or whose age is not known. */
export function ageText({ age }: Pick<Finding, 'age'>): string | undefined {
  if (age === undefined || age.days === 0) return undefined;
  return `open for ${age.days} ${age.days === 1 ? 'day' : 'days'}`;
}

/** `due 2026-03-01`, or `overdue since 2026-03-01`. */
export function dueText({ age, due }: Pick<Finding, 'age' | 'due'>): string | undefined {
  if (due === undefined || age === undefined) return undefined;
  const isOver = Date.parse(due) <= Date.parse(age.since) + age.days * DAY_MS;
  return `${isOver ? 'overdue since' : 'due'} ${due.slice(0, 10)}`;
}

/** Returns age and term on one line; empty where neither is known. */
export function termText(finding: Pick<Finding, 'age' | 'due'>): string {
  return [ageText(finding), dueText(finding)].filter((part) => part !== undefined).join(', ');
}
