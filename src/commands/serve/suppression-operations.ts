import type { ListedSuppression } from '../../model/scan/suppression.ts';
import { requireSeen, requireWholeFleet } from '../../operations/context.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { administerSuppressions } from '../ignore.ts';
import type { ServeContext } from './serve-context.ts';

type Own = `lockhound.suppressions.${'list' | 'add' | 'remove'}`;

export function suppressionOperations(context: ServeContext): Pick<HttpOperations, Own> {
  const admin = administerSuppressions(context.loaded, context.fleet);
  return {
    async 'lockhound.suppressions.list'({ principal }) {
      const all = await admin.list();
      const seen = all.filter(
        ({ suppression: { target } }) => principal.seesAll || isOwn(target, principal.sees),
      );
      return { suppressions: seen.map(shown) };
    },
    async 'lockhound.suppressions.add'({ body, principal }) {
      if (isOwn(body.target, () => true)) await requireSeen(context, principal, body.target ?? '');
      else requireWholeFleet(principal);
      const added = await admin.add({ ...body, author: principal.name });
      return shown({ ...added, findings: 0, expired: false });
    },
    async 'lockhound.suppressions.remove'({ params: { suppression: id }, principal }) {
      requireWholeFleet(principal);
      await admin.remove([id], { author: principal.name });
      return {};
    },
  };
}

/** Whether it is about one target that the caller sees. */
function isOwn(target: string | undefined, sees: (target: string) => boolean): boolean {
  return target !== undefined && !target.includes('*') && sees(target);
}

function shown({ suppression, findings, expired, addedAt }: ListedSuppression) {
  return { ...suppression, findings, expired, ...(addedAt === undefined ? {} : { addedAt }) };
}
