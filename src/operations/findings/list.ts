import { COMPARE_FINDINGS } from '../../fleet/view/fleet-snapshot.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { pageOf, pageOfList } from '../paging.ts';
import { selectFindings } from './select.ts';
import { findingPlace, shownFinding, wholeFindings, withAssignments, withKnownFixes } from './shown.ts';

/** Findings of a page whose states are read one by one: for more, all states are. */
const MAX_WHOLE = 1_000;

/** A page of the findings that fit. */
export const list: Operation<'lockhound.findings.list'> = async ({ params, principal }, context) => {
  const { orderBy: order = 'severity', pageSize: _size, pageToken: _token, skip: _skip, ...filters } = params;
  const page = pageOf<FleetFinding>(context, { method: 'lockhound.findings.list', params, principal });
  const list = await selectFindings(context, filters, principal, { order, short: page.size <= MAX_WHOLE });
  const { items, total, next } = pageOfList(list, page, {
    compare: COMPARE_FINDINGS[order],
    placeOf: findingPlace,
  });
  const whole = (await wholeFindings(context, items)).filter((one) => one !== undefined);
  const advised = await withAssignments(context, await withKnownFixes(context.fleet, whole));
  const findings = advised.map((one) => shownFinding(context, one));
  return { findings, total, ...unreadableOf(context, principal), ...next };
};
