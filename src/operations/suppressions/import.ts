import { readVexText } from '../../config/sections/vex-text.ts';
import type { StoredSuppression } from '../../model/scan/suppression.ts';
import { type Issue, isOlder } from '../../policy/suppressions/vex/issue.ts';
import { firstShard, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { authorOf } from './suppressions.ts';

/** Applies the statements of a VEX document. A later version of a document replaces it, and an older one is refused. */
export const importVex: Operation<'lockhound.suppressions.import'> = async (
  { body: { path, text, author: stated }, principal },
  { fleet },
) => {
  requireWholeFleet(principal);
  const { suppressions: store } = firstShard(fleet);
  const read = readVexText(text);
  if (typeof read === 'string') throw new Refusal(400, 'config-invalid', `${path} ${read}`);
  const { id, issue, suppressions, notApplied } = read;
  const at = new Date().toISOString();
  const known = (await store.list()).filter(({ suppression }) => isOf(id, suppression));
  const later = known.find((one) => one.issue !== undefined && isOlder(issue, one.issue));
  if (later !== undefined) throw olderDocument(path, issue, later.issue);
  const added = suppressions.map((suppression) => ({ suppression, addedAt: at, issue }));
  const now = new Set(suppressions.map((suppression) => suppression.id));
  const reason = 'another version of the document replaces it';
  const author = authorOf(principal, stated);
  const removed = known
    .filter((one) => one.removed === undefined && !now.has(one.suppression.id))
    .map((one) => ({ ...one, issue, removed: { at, author, reason } }));
  await store.put([...added, ...removed]);
  const overruling = suppressions.filter(({ overrules }) => overrules === true).length;
  return {
    path,
    id,
    applied: added.length - overruling,
    overruling,
    removed: removed.length,
    notApplied,
  };
};

/** Whether a suppression is from a VEX document. */
function isOf(document: string, { id }: StoredSuppression['suppression']): boolean {
  const start = `vex ${document} `;
  return id.startsWith(start) && /^#\d+ \d+$/.test(id.slice(start.length));
}

function olderDocument(path: string, issue: Issue, later: Issue = {}): Refusal {
  const text = ({ at = 'no time', version }: Issue) =>
    version === undefined ? at : `${at}, version ${version}`;
  const detail = `${path} is an older version (${text(issue)}) of a document that is applied (${text(later)}); nothing is changed. To go back to it, give it a later time.`;
  return new Refusal(409, 'older', detail);
}
