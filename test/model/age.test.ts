import { expect, it } from 'vitest';
import { termText, withAge } from '../../src/model/scan/age.ts';
import { changeOf } from '../notify/notification.ts';

const DAY_MS = 86_400_000;
const OPENED = '2026-02-01T12:00:00.000Z';
const { finding } = changeOf('left-pad');

function text(days: number, dueDays?: number): string {
  const now = Date.parse(OPENED) + days * DAY_MS;
  return termText(withAge(finding, OPENED, now, dueDays === undefined ? undefined : dueDays * DAY_MS));
}

it('says for how long a finding is open, and when it is due', () => {
  expect(termText(finding)).toBe('');
  expect(text(0.9)).toBe('');
  expect(text(1)).toBe('open for 1 day');
  expect(text(12, 14)).toBe('open for 12 days, due 2026-02-15');
  expect(text(14, 14)).toBe('open for 14 days, overdue since 2026-02-15');
});

it('a finding from the future is not open for less than no time', () => {
  expect(withAge(finding, OPENED, 0, undefined).age).toEqual({ since: OPENED, days: 0 });
});
