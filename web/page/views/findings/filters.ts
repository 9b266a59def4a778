import type { Params } from '../../api/call.ts';
import { RATED } from '../../parts/severity.tsx';
import { addressOf } from '../../routing/location.ts';

export type Filters = Omit<Params<'lockhound.findings.list'>, 'pageSize' | 'pageToken' | 'skip'>;

export const STATES = ['open', 'suppressed', 'resolved', 'all'] as const;
export const ORDERS = ['severity', 'changedAt', 'target'] as const;

/** The filters of an address. What is not valid is ignored. */
export function filtersOf(params: URLSearchParams): Filters {
  const text = (name: string) => params.get(name) || undefined;
  const one = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === params.get(name));
  const [rule, label] = [
    params.getAll('rule'),
    params.getAll('label').filter((each) => /^[^=]+=/.test(each)),
  ];
  return {
    severity: one('severity', RATED),
    state: one('state', STATES),
    rule: rule.length === 0 ? undefined : rule,
    ecosystem: text('ecosystem'),
    target: text('target'),
    label: label.length === 0 ? undefined : label,
    package: text('package'),
    advisory: text('advisory'),
    direct: params.get('direct') === 'true' ? true : undefined,
    fixable: params.get('fixable') === 'true' ? true : undefined,
    notes: params.get('notes') === 'true' ? true : undefined,
    search: text('search'),
    orderBy: one('orderBy', ORDERS),
  };
}

export function findingsAddress(filters: Filters): string {
  return addressOf('/findings', filters);
}
