import { importedText } from '../../compose/advisory-text.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { withPriority } from '../../policy/priority/priority.ts';
import { notFound, requireSeen } from '../context.ts';
import type { Operation } from '../operation.ts';
import { shownFinding, withAssignments, withKnownFixes } from './shown.ts';

/** Locations that are sent. */
const MAX_LOCATIONS = 1_000;

/** One finding from the state of its target, with its places, and with the evidence of its upgrade and the text of its advisory. */
export const get: Operation<'lockhound.findings.get'> = async ({ params, principal }, context) => {
  const { target, fingerprint } = params;
  await requireSeen(context, principal, target);
  const { targets, targetSummaries } = context.fleet.of(target);
  const state = await targets.read(target);
  const tracked = state?.findings.find(({ finding }) => finding.fingerprint === fingerprint);
  if (tracked === undefined) throw notFound(`target ${target} has no finding ${fingerprint}`);
  const { status, openedAt, changedAt } = tracked;
  const finding = withPriority(withExploits(tracked.finding, await context.exploits()));
  const places = finding.locations.length;
  const locations = finding.locations.slice(0, MAX_LOCATIONS);
  const labels = (await targetSummaries.read(target))?.labels ?? {};
  const one = { target, labels, status, openedAt, changedAt, places, finding: { ...finding, locations } };
  const [advised = one] = await withAssignments(context, await withKnownFixes(context.fleet, [one]));
  const shown = shownFinding(context, advised, true);
  const { advisory } = shown.finding;
  if (advisory === undefined) return shown;
  const said = await importedText(context.loaded, [advisory.id, ...advisory.aliases]);
  return { ...shown, finding: { ...shown.finding, advisory: { ...advisory, ...said } } };
};
