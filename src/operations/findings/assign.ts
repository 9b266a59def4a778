import { MAX_ASSIGNMENTS } from '../../store/assignments.ts';
import { firstShard, notFound, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { issueIdOf } from './filter.ts';
import { selectFindings } from './select.ts';

/** Issues of one call. */
const MAX_ISSUES = 100;

/** Says who works on issues, in all targets; without `to`, nobody. Nothing changes where one of them is not known. */
export const assign: Operation<'lockhound.findings.assign'> = async (
  { body: { issues, to }, principal },
  context,
) => {
  requireWholeFleet(principal);
  if (issues.length === 0 || issues.length > MAX_ISSUES)
    throw new Refusal(400, 'too-many', `expected 1 to ${MAX_ISSUES} issues`);
  const wanted = [...new Set(issues)];
  const { assignments } = firstShard(context.fleet);
  const name = to?.trim();
  if (name === undefined || name === '') await assignments.put(wanted, undefined);
  else {
    const found = await selectFindings(context, { issue: wanted, state: 'all', notes: true }, principal);
    const known = new Set(found.map(({ finding }) => issueIdOf(finding)));
    const unknown = wanted.find((issue) => !known.has(issue));
    if (unknown !== undefined)
      throw notFound(`no finding is of issue ${unknown}: see \`lockhound findings issues --json\``);
    const others = (await assignments.count()) - (await assignments.some(wanted)).size;
    if (others + wanted.length > MAX_ASSIGNMENTS) {
      const detail = `at most ${MAX_ASSIGNMENTS} issues are assigned at a time: assign others to nobody first`;
      throw new Refusal(409, 'too-many', detail);
    }
    await assignments.put(wanted, { to: name, by: principal.name, at: new Date().toISOString() });
  }
  return { issues: wanted.length, ...(name === undefined || name === '' ? {} : { to: name }) };
};
