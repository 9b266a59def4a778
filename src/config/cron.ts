import { z } from 'zod';
import { messageOf } from '../model/errors.ts';
import { loadPackage } from '../model/lazily.ts';

/** Times by a cron expression. */
export const cronTime = z
  .strictObject({
    cron: z.string().min(1).max(200).describe('A cron expression.'),
    timeZone: z
      .string()
      .default('UTC')
      .refine(isTimeZone, { error: 'a time zone such as `Europe/Berlin`' })
      .describe('Time zone of `cron`.'),
  })
  .superRefine(({ cron, timeZone }, context) => {
    const fault = cronFault(cron, timeZone);
    if (fault !== undefined) context.addIssue({ code: 'custom', path: ['cron'], message: fault });
  });

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Why a cron expression cannot be used. Its parser is loaded on first use: few configurations have one. */
export function cronFault(cron: string, tz: string): string | undefined {
  const { CronExpressionParser }: typeof import('cron-parser') = loadPackage('cron-parser');
  const fields = cron.trim().split(/\s+/).length;
  // The parser adds what is missing on the left: an expression without its last field would run once a month.
  if (fields < 5 && !cron.trim().startsWith('@')) {
    return `a cron expression such as \`0 6 * * 1-5\` (it has ${fields} of the five fields minute, hour, day, month, weekday)`;
  }
  try {
    CronExpressionParser.parse(cron, { tz }).next();
    return undefined;
  } catch (error) {
    return `a cron expression such as \`0 6 * * 1-5\` (${messageOf(error)})`;
  }
}
