import type { Capabilities, Dependents } from '../../model/insights-api.generated.ts';
import type { TextOptions } from '../text.ts';
import { columns, grouped, lines } from './text.ts';

/** The total may be less than the sum: some depend on a version both ways. */
export function renderDependents(dependents: Dependents, _options: TextOptions): string {
  const { dependentCount, directDependentCount, indirectDependentCount } = dependents;
  return lines([
    `${grouped(dependentCount)} dependents: ${grouped(directDependentCount)} direct, ${grouped(indirectDependentCount)} indirect`,
  ]);
}

/** Each capability with how many calls lead to it, from the package itself and by way of others. */
export function renderCapabilities({ capabilities }: Capabilities, _options: TextOptions): string {
  if (capabilities === undefined) return 'Capabilities unknown.\n';
  if (capabilities.length === 0) return 'No capabilities.\n';
  return lines(
    columns([
      ['capability', 'direct', 'indirect'],
      ...capabilities.map(({ capability = '', directCount, indirectCount }) => [
        capability,
        grouped(directCount),
        grouped(indirectCount),
      ]),
    ]),
  );
}
