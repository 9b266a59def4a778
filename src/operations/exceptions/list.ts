import type { FixedVersion } from '../../model/scan/change.ts';
import type { JudgedException } from '../../model/scan/exception.ts';
import { judgeExceptions } from '../../policy/exceptions/judge.ts';
import { requireSeen, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { storedTarget } from '../targets/report.ts';

/** Lists what overrules the tools of a target, and whether it is still needed, by what is stored. Requests nothing. */
export const listExceptions: Operation<'lockhound.exceptions.list'> = async (call, context) => {
  const { target, kind = [], verdict = [] } = call.params;
  await requireSeen(context, call.principal, target);
  const { inventory, verdict: stored } = (await storedTarget(context, target, call)).report;
  const state = await context.fleet.of(target).targets.read(target);
  const stated = new Map(state?.lockfiles?.map((one) => [one.path, one]));
  const lockfiles = inventory.lockfiles.map((file) => {
    const { unread, exceptions = [], suppressions = [] } = stated.get(file.path) ?? {};
    const gap = unread === undefined ? [] : [{ kind: 'unread', message: unread.message } as const];
    return { ...file, exceptions, suppressions, problems: [...file.problems, ...gap] };
  });
  const { findings, complete } = stored;
  const exceptions = judgeExceptions({ lockfiles, findings, complete, now: Date.now() });
  const wanted = (names: readonly string[], name: string) => names.length === 0 || names.includes(name);
  return {
    exceptions: exceptions
      .filter((one) => wanted(kind, one.kind) && wanted(verdict, one.verdict))
      .map((one) => withAdvisory(one, state?.fixed)),
    ...unreadableOf(context, call.principal),
  };
};

/** Adds the advisory that was open until the scan that saw the exception first, which says what it was for. */
function withAdvisory(one: JudgedException, fixed: readonly FixedVersion[] = []): JudgedException {
  if (one.since === undefined || one.package === undefined || one.advisory !== undefined) return one;
  // The issue of other rules is their name, which has no hyphen.
  const fix = fixed.find(({ at, ecosystem, name, issue }) => {
    return at === one.since && ecosystem === one.ecosystem && name === one.package && issue.includes('-');
  });
  return fix === undefined ? one : { ...one, advisory: fix.issue };
}
