import { type FiltersOf, filtersIn } from '../../api/filters.ts';
import { addressOf } from '../../routing/location.ts';

export type Filters = Partial<FiltersOf<'lockhound.findings.list'>>;

export const STATES = ['open', 'suppressed', 'resolved', 'all'] as const;
export const ORDERS = [
  ['severity', 'Priority'],
  ['changedAt', 'Newest change'],
  ['target', 'Target'],
] as const;

export function filtersOf(params: URLSearchParams): Filters {
  return filtersIn('lockhound.findings.list', params);
}

export function findingsAddress(filters: Filters): string {
  return addressOf('/findings', filters);
}
